//! The kernels on the host: the same source, compiled by the C compiler that links Rust programs.
#![allow(unsafe_code, reason = "the kernels are C")]

use crate::{Board, Device, Fault, Program};
use libloading::Library;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Runs before each kernel, with its number and the address of its argument: a fault that a test plants.
type Fate = fn(usize, *const u8);

/// The host as a device. It compiles each program once.
#[derive(Debug)]
pub struct Host {
    fault: Fate,
    known: RefCell<HashMap<String, Rc<Compiled>>>,
}

impl Default for Host {
    fn default() -> Host {
        Host::with_fault(|_, _| ())
    }
}

impl Host {
    /// A host that calls this function before each kernel, with the number of the kernel and the address of its argument.
    pub fn with_fault(fault: fn(usize, *const u8)) -> Host {
        Host { fault, known: RefCell::default() }
    }
}

/// A program on the host. Kernels run on the calling thread.
#[derive(Debug)]
pub struct HostBoard {
    compiled: Rc<Compiled>,
    kernels: &'static [&'static str],
    fault: Fate,
}

#[derive(Debug)]
struct Compiled {
    library: Library,
    folder: PathBuf,
}

impl Device for Host {
    type Board = HostBoard;

    fn load(&self, program: &Program) -> Result<HostBoard, Fault> {
        let text = program.text();
        let known = self.known.borrow().get(&text).cloned();
        let compiled = match known {
            Some(compiled) => compiled,
            None => Rc::new(Compiled::new(&text).map_err(|error| Fault(error.to_string()))?),
        };
        self.known.borrow_mut().insert(text, compiled.clone());
        Ok(HostBoard { compiled, kernels: program.kernels, fault: self.fault })
    }
}

impl Compiled {
    fn new(text: &str) -> Result<Compiled, Box<dyn std::error::Error>> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let folder = std::env::temp_dir().join(format!("ringleader-kernels-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let (source, library) = (folder.join("kernels.c"), folder.join("kernels.so"));
        std::fs::write(&source, text)?;
        let flags = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-shared", "-fPIC"];
        let compiled = Command::new("cc").args(flags).arg("-o").arg(&library).arg(&source).output()?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into());
        }
        // Safety: the library has no initializers.
        let library = unsafe { Library::new(&library) }?;
        Ok(Compiled { library, folder })
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Board for HostBoard {
    type Words = Vec<Cell<u64>>;
    type Numbers = Vec<u32>;

    fn place(&self, numbers: &[u32]) -> Result<Vec<u32>, Fault> {
        Ok(numbers.to_vec())
    }

    fn address_of(&self, numbers: &Vec<u32>) -> u64 {
        numbers.as_ptr() as u64
    }

    fn zeros(&self, words: usize) -> Result<Self::Words, Fault> {
        Ok(vec![Cell::new(0); words])
    }

    fn address(&self, of: &Self::Words, word: usize) -> u64 {
        assert!(word <= of.len());
        of.as_ptr().wrapping_add(word) as u64
    }

    fn write(&self, from: &[u64], to: &mut Self::Words) -> Result<(), Fault> {
        to.iter().zip(from).for_each(|(to, &from)| to.set(from));
        Ok(())
    }

    fn copy(&self, from: &Self::Words, words: usize, to: &mut Self::Words) -> Result<(), Fault> {
        to[..words].clone_from_slice(&from[..words]);
        Ok(())
    }

    fn read(&self, from: &Self::Words, first: usize, words: usize) -> Result<Vec<u64>, Fault> {
        Ok(from[first..first + words].iter().map(Cell::get).collect())
    }

    fn run<J: Copy>(&self, kernel: usize, _: u64, job: &J) -> Result<(), Fault> {
        (self.fault)(kernel, std::ptr::from_ref(job).cast());
        // Safety: the kernel has this type, and the addresses of the job are those of memory that the engine holds.
        unsafe {
            let run = self.compiled.library.get::<unsafe extern "C" fn(J)>(self.kernels[kernel]);
            run.map_err(|error| Fault(error.to_string()))?(*job);
        }
        Ok(())
    }
}
