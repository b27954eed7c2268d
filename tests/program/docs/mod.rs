//! The book in `docs/`: every page is in the summary, every link leads somewhere, every picture has its command, every
//! example runs and prints what the page says, and the reference is the program's help.

mod examples;
mod links;
mod page;
mod pictures;
mod reference;
