//! `method('Name')`: the calls of any method, with its parameters as columns.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, Objects};
use crate::lines;
use crate::provider::Provider;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::Expr;
use reprise_d3d12::model::{Field, InterfaceId, Method, Type};
use reprise_view::api;
use std::borrow::Cow;
use std::sync::Arc;

/// The table function.
#[derive(Debug)]
pub(crate) struct MethodFunction(pub(crate) Arc<[Arc<Source>]>);

impl TableFunctionImpl for MethodFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let name = match args.exprs() {
            [Expr::Literal(ScalarValue::Utf8(Some(name)) | ScalarValue::Utf8View(Some(name)), _)] => name,
            _ => return plan_err!("method takes one text: method('CreateCommittedResource')"),
        };
        let methods = named(name);
        let Some(first) = methods.first() else {
            let near = crate::message::near(api::plain(name), api::model().methods.iter().map(|method| method.name));
            return plan_err!("no method is called {name}{near}");
        };
        let name = match (name.contains("::"), first.interface) {
            (true, Some(interface)) => format!("{}::{}", api::class(interface), first.name),
            _ => first.name.to_owned(),
        };
        let mut parameters: Vec<&'static Field> = Vec::new();
        for field in methods.iter().flat_map(|method| method.params) {
            if !parameters.iter().any(|own| own.name == field.name) {
                parameters.push(field);
            }
        }
        let table = MethodTable { name, parameters };
        Ok(Arc::new(Provider::new(Arc::new(table), Arc::clone(&self.0))))
    }
}

/// The methods that a name means: of all interfaces, or of the one that it begins with. An interface has the methods of those it derives from.
fn named(name: &str) -> Vec<&'static Method> {
    let model = api::model();
    let called = |plain: &str, of: Option<InterfaceId>| -> Vec<&'static Method> {
        let is = |method: &&Method| {
            method.name.eq_ignore_ascii_case(plain) && of.is_none_or(|interface| method.interface == Some(interface))
        };
        model.methods.iter().filter(is).collect()
    };
    let Some((interface, plain)) = name.rsplit_once("::") else { return called(name, None) };
    let known = model.interfaces.iter().position(|own| own.name.eq_ignore_ascii_case(interface));
    let own = known.map(|number| InterfaceId(number as u16));
    let mut line = std::iter::successors(own, |id| model.interfaces.get(usize::from(id.0))?.base);
    line.find_map(|id| Some(called(plain, Some(id))).filter(|found| !found.is_empty())).unwrap_or_default()
}

/// Calls of one method.
#[derive(Debug)]
struct MethodTable {
    /// As the model spells it, with the interface that declares it where the question names one.
    name: String,
    /// The parameters of all methods of this name, each name once.
    parameters: Vec<&'static Field>,
}

/// Columns before the parameters.
const HEAD: [Column; 7] = [
    Column::new("call", Kind::Number, "number of the call"),
    Column::new("frame", Kind::Number, "the frame, from 1"),
    Column::new("thread", Kind::Number, "the thread, from 0"),
    Column::new("object", Kind::Number, "the object"),
    Column::new("duration_ns", Kind::Number, "nanoseconds from enter to leave"),
    Column::new("returned", Kind::Text, "what the call returned"),
    Column::new("method", Kind::Name, "the method, without its interface"),
];

impl Table for MethodTable {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        "calls of one method"
    }

    fn columns(&self) -> Vec<Column> {
        let parameter = |field: &&'static Field| {
            let kind = match field.ty {
                Type::U8
                | Type::I8
                | Type::U16
                | Type::I16
                | Type::U32
                | Type::I32
                | Type::U64
                | Type::I64
                | Type::Object(_) => Kind::Number,
                _ => Kind::Text,
            };
            Column { name: Cow::Borrowed(field.name), kind, about: Cow::Borrowed("the parameter") }
        };
        HEAD.into_iter().chain(self.parameters.iter().map(parameter)).collect()
    }

    fn objects(&self) -> Objects {
        Objects { of_call: &["object"], named: &[] }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        lines::each(source, bounds, &[&self.name], |mut line| {
            lines::plain_method(&mut line);
            let number = |name: &str| Cell::some(line[name].as_u64());
            let mut texts = vec![String::new(); self.parameters.len() + 1];
            let mut texts = texts.iter_mut();
            let mut cells =
                vec![number("call"), number("frame"), number("thread"), Cell::some(line["this"]["id"].as_u64())];
            cells.push(number("duration_ns"));
            let mut value = |value| texts.next().map_or(Cell::None, |text| lines::cell(value, text));
            cells.push(value(line.get("result")));
            cells.push(line["method"].as_str().map_or(Cell::None, Cell::Text));
            for field in &self.parameters {
                let given = line["outputs"].get(field.name).or_else(|| line["args"].get(field.name));
                cells.push(value(given));
            }
            sink.row(&cells)
        })
    }
}
