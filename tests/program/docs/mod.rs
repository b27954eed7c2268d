//! The book in `docs/`: every page is in the summary, every link leads somewhere, every picture has its command, every
//! example runs and prints what the page says, the reference is the program's help, and places in the code exist.

mod examples;
mod links;
mod page;
mod pictures;
mod places;
mod reference;
