//! The one list of all algorithms of the literature that are built in.

use crate::Catalog;
use crate::texts::text;
use ringleader_algorithms::message::chang_roberts::ChangRoberts;
use ringleader_algorithms::message::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_ids::FranklinIds;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_algorithms::message::peterson::Peterson;
use ringleader_algorithms::population::angluin_ring::AngluinRing;
use ringleader_algorithms::population::chen_chen::ChenChen;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::ring_orientation::RingOrientation;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::fich_johnen_token::FichJohnenToken;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_algorithms::robust::{s1::RobustS1, s2::RobustS2, s3::RobustS3, s4::RobustS4, s5::RobustS5};
use ringleader_node::Node;

impl Catalog {
    /// The algorithms of the literature. The node library has compiled what starts the robust ones.
    pub fn builtin() -> Catalog {
        Catalog::empty()
            .population::<FischerJiangComplete>()
            .population::<FischerJiangRing>()
            .population::<YokotaRing>()
            .population::<AngluinRing>()
            .absent::<ChenChen>()
            .population::<TokenCirculation>()
            .population::<RingOrientation>()
            .written(text!("cai-izumi-wada"))
            .written(text!("optimal-silent-ranking"))
            .written(text!("loosely-stabilizing"))
            .written(text!("israeli-jalfon"))
            .ring::<FichJohnen>()
            .ring::<FichJohnenToken>()
            .ring::<BurnsPachl>()
            .ring::<GoudaHaddix>()
            .written(text!("dijkstra-k-state"))
            .written(text!("dijkstra-four-state"))
            .written(text!("dijkstra-three-state"))
            .written(text!("herman"))
            .written(text!("huang"))
            .written(text!("arora-gouda"))
            .written(text!("best-offer"))
            .written(text!("local-detection"))
            .written(text!("tree-leader"))
            .written(text!("tree-centre"))
            .written(text!("huang-chen"))
            .written(text!("hsu-huang"))
            .written(text!("independent-set"))
            .written(text!("colouring"))
            .written(text!("random-colouring"))
            .written(text!("unison"))
            .message::<Franklin>()
            .reading("both", |algorithm: Franklin| FranklinTables { algorithm, reading: Reading::Both })
            .reading("left-first", |algorithm: Franklin| FranklinTables { algorithm, reading: Reading::LeftFirst })
            .message::<FranklinNoBit>()
            .message::<DolevKlaweRodehBits>()
            .message::<ItaiRodeh>()
            .message::<FokkinkPang>()
            .message::<ChangRoberts>()
            .message::<DolevKlaweRodeh>()
            .message::<Peterson>()
            .message::<FranklinIds>()
            .written(text!("le-lann"))
            .written(text!("hirschberg-sinclair"))
            .prepared::<RobustS5>(Node::prepare)
            .prepared::<RobustS4>(Node::prepare)
            .prepared::<RobustS3>(Node::prepare)
            .prepared::<RobustS2>(Node::prepare)
            .prepared::<RobustS1>(Node::prepare)
            .built_in()
    }
}
