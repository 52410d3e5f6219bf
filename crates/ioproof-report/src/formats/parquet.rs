//! Apache Parquet: a table in one row group, nothing compressed, by the `parquet` crate without Arrow.
//!
//! Text is kept once in a dictionary, so that the host's name in each row costs next to nothing. Deliberately absent: statistics and indexes, which tables of
//! some thousand rows have no use for.

use crate::tables::{Cell, Column, Content, Kind};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// The writer of a file; the version is that of this module, so that a release of the crate changes no file by its number alone.
const WRITER: &str = "ioproof version 2";

/// Tables of the same columns, a row group each.
pub(super) fn file(contents: impl Iterator<Item = Content>) -> Result<Vec<u8>, ParquetError> {
    let mut contents = contents.peekable();
    let schema = schema(contents.peek().map(|content| content.columns.as_slice()).unwrap_or_default())?;
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties()))?;
    contents.try_for_each(|content| add(&mut file, &content))?;
    file.into_inner()
}

/// Adds a table as one row group.
fn add(file: &mut SerializedFileWriter<Vec<u8>>, content: &Content) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let mut columns = content.columns.iter().enumerate();
    while let (Some(mut chunk), Some((at, column))) = (group.next_column()?, columns.next()) {
        let cells = content.rows.iter().map(|row| &row[at]);
        match column.kind {
            Kind::Text => put::<ByteArrayType>(&mut chunk, cells.map(text)),
            Kind::Count => put::<Int64Type>(&mut chunk, cells.map(count)),
            Kind::Number => put::<DoubleType>(&mut chunk, cells.map(number)),
        }?;
        chunk.close()?;
    }
    group.close().map(drop)
}

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_created_by(WRITER.to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build()
}

fn schema(columns: &[Column]) -> Result<Arc<Type>, ParquetError> {
    let fields = columns.iter().map(|column| element(column).map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

/// A column, in which any cell may be missing.
fn element(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Count => (Physical::INT64, None),
        Kind::Number => (Physical::DOUBLE, None),
    };
    Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()
}

/// Writes a column: levels that tell which cells are there, and their values.
fn put<T: DataType>(chunk: &mut SerializedColumnWriter, cells: impl Iterator<Item = Option<T::T>>) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = cells.collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    chunk.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}

fn text(cell: &Cell) -> Option<ByteArray> {
    if let Cell::Text(text) = cell { Some(text.as_str().into()) } else { None }
}

fn count(cell: &Cell) -> Option<i64> {
    if let Cell::Count(count) = cell { Some(i64::try_from(*count).unwrap_or(i64::MAX)) } else { None }
}

fn number(cell: &Cell) -> Option<f64> {
    if let Cell::Number(number) = cell { Some(*number) } else { None }
}
