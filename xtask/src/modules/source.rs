//! The modules of a crate and what each imports, from the text of its files.

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

/// The path of a module from the crate's root; the root itself is empty.
pub(crate) type ModulePath = Vec<String>;

/// A module's own file.
#[derive(Default)]
struct Module {
    /// Paths that the file names, as far as they lead into the crate.
    named: BTreeSet<ModulePath>,
    /// Names that the module passes on, and where they come from. A glob has the name `*`.
    passed: Vec<(String, ModulePath)>,
    /// Names that the module defines.
    defined: BTreeSet<String>,
}

/// All modules of a crate.
pub(crate) struct Tree {
    modules: BTreeMap<ModulePath, Module>,
}

impl Tree {
    /// Reads a crate's `src`. Modules follow the files; a module inside a file belongs to that file.
    pub(crate) fn read(folder: &Path) -> Result<Tree> {
        let mut tree = Tree { modules: BTreeMap::new() };
        tree.folder(folder, &[])?;
        Ok(tree)
    }

    /// Number of files.
    pub(crate) fn files(&self) -> usize {
        self.modules.len()
    }

    fn folder(&mut self, folder: &Path, path: &[String]) -> Result<()> {
        let listed = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in listed {
            let file = entry?.path();
            let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else { continue };
            let below = |name: &str| path.iter().cloned().chain([name.to_owned()]).collect::<ModulePath>();
            if is_test(&stem) {
                continue;
            } else if file.is_dir() {
                // Programs of a crate are crates of their own.
                if stem != "bin" || !path.is_empty() {
                    self.folder(&file, &below(&stem))?;
                }
            } else if file.extension().is_some_and(|extension| extension == "rs") {
                let own = match stem.as_str() {
                    "lib" | "main" if path.is_empty() => Vec::new(),
                    "mod" => path.to_vec(),
                    name => below(name),
                };
                let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
                let parsed = syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
                let mut reading = Reading { at: own.clone(), module: Module::default() };
                reading.visit_file(&parsed);
                self.modules.entry(own).or_default().add(reading.module);
            }
        }
        Ok(())
    }

    /// Pairs of modules: the first one's file names something that the second one's file defines.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&ModulePath, ModulePath)> + '_ {
        self.modules.iter().flat_map(move |(own, module)| {
            module.named.iter().filter_map(move |named| Some((own, self.definer(named, 0)?)))
        })
    }

    /// The module in which the last name of a path is defined, behind re-exports.
    fn definer(&self, path: &[String], depth: u32) -> Option<ModulePath> {
        let (at, rest) = (0..=path.len()).rev().find_map(|end| {
            let (module, rest) = path.split_at(end);
            self.modules.contains_key(module).then_some((module, rest))
        })?;
        let (Some(name), true) = (rest.first(), depth < 8) else { return Some(at.to_vec()) };
        let module = &self.modules[at];
        if module.defined.contains(name) {
            return Some(at.to_vec());
        }
        let further = |from: &ModulePath| {
            let onward: ModulePath = from.iter().cloned().chain(rest[1..].iter().cloned()).collect();
            self.definer(&onward, depth + 1)
        };
        if let Some((_, from)) = module.passed.iter().find(|(passed, _)| passed == name) {
            return further(from);
        }
        let globs = module.passed.iter().filter(|(passed, _)| passed == "*");
        let in_glob = globs.map(|(_, from)| from).find(|from| {
            self.modules.get(from.as_slice()).is_some_and(|module| {
                module.defined.contains(name) || module.passed.iter().any(|(passed, _)| passed == name)
            })
        });
        match in_glob {
            Some(from) => {
                self.definer(&from.iter().cloned().chain(rest.iter().cloned()).collect::<Vec<_>>(), depth + 1)
            }
            None => Some(at.to_vec()),
        }
    }
}

impl Module {
    fn add(&mut self, other: Module) {
        self.named.extend(other.named);
        self.passed.extend(other.passed);
        self.defined.extend(other.defined);
    }
}

fn is_test(stem: &str) -> bool {
    stem == "tests" || stem.ends_with("_tests")
}

/// A file on its way into a [`Module`].
struct Reading {
    at: ModulePath,
    module: Module,
}

impl Reading {
    /// The path from the crate's root that these words mean here; `None` for another crate's.
    fn absolute(&self, words: &[String]) -> Option<ModulePath> {
        let (first, mut rest) = words.split_first()?;
        let mut path = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.at.clone(),
            "super" => self.at[..self.at.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        while let Some((word, further)) = rest.split_first()
            && word == "super"
        {
            path.pop()?;
            rest = further;
        }
        path.extend(rest.iter().cloned());
        Some(path)
    }

    fn name(&mut self, words: &[String]) {
        if let Some(path) = self.absolute(words) {
            self.module.named.insert(path);
        }
    }

    /// One `use`: every leaf is named, and passed on if it is public.
    fn leaves(&mut self, tree: &UseTree, mut words: Vec<String>, public: bool) {
        match tree {
            UseTree::Path(path) => {
                words.push(path.ident.to_string());
                self.leaves(&path.tree, words, public);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.leaves(item, words.clone(), public));
            }
            UseTree::Glob(_) => self.leaf("*".into(), words, public),
            UseTree::Rename(rename) => {
                words.push(rename.ident.to_string());
                self.leaf(rename.rename.to_string(), words, public);
            }
            UseTree::Name(name) => {
                if name.ident != "self" {
                    words.push(name.ident.to_string());
                }
                let last = words.last().cloned().unwrap_or_default();
                self.leaf(last, words, public);
            }
        }
    }

    fn leaf(&mut self, name: String, words: Vec<String>, public: bool) {
        self.name(&words);
        if public {
            // Words without `crate` or `super` name a module below this one.
            let below = || self.at.iter().cloned().chain(words.iter().cloned()).collect();
            let from = self.absolute(&words).unwrap_or_else(below);
            self.module.passed.push((name, from));
        }
    }

    /// Paths in the text of a macro's call, which is not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut words: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(word) if colons == 2 || words.is_empty() => {
                    words.push(word.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !words.is_empty() && colons < 2 => colons += 1,
                other => {
                    self.name(&words);
                    words.clear();
                    colons = 0;
                    match other {
                        TokenTree::Ident(word) => words.push(word.to_string()),
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        _ => {}
                    }
                }
            }
        }
        self.name(&words);
    }
}

/// Whether something is there in tests only.
fn only_in_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Reading {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Const(own) => (&own.attrs, Some(&own.ident)),
            Item::Enum(own) => (&own.attrs, Some(&own.ident)),
            Item::Fn(own) => (&own.attrs, Some(&own.sig.ident)),
            Item::Macro(own) => (&own.attrs, own.ident.as_ref()),
            Item::Static(own) => (&own.attrs, Some(&own.ident)),
            Item::Struct(own) => (&own.attrs, Some(&own.ident)),
            Item::Trait(own) => (&own.attrs, Some(&own.ident)),
            Item::Type(own) => (&own.attrs, Some(&own.ident)),
            Item::Union(own) => (&own.attrs, Some(&own.ident)),
            // A module in the file is part of it.
            Item::Mod(own) => (&own.attrs, own.content.as_ref().map(|_| &own.ident)),
            Item::Impl(own) => (&own.attrs, None),
            Item::Use(own) => (&own.attrs, None),
            _ => return syn::visit::visit_item(self, item),
        };
        if only_in_tests(attributes) {
            return;
        }
        self.module.defined.extend(name.map(ToString::to_string));
        if let Item::Use(own) = item {
            let public = !matches!(own.vis, Visibility::Inherited);
            self.leaves(&own.tree, Vec::new(), public);
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.name(&words);
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        syn::visit::visit_macro(self, call);
    }
}
