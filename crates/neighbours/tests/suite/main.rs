//! What neighbours say to each other, explored: every order of arrival and loss.

mod channel;
mod meeting;
mod reading;
