// Reads Parquet files with a different implementation than the one that writes them.

import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'

/** The rows of a file. Amounts are bigint, times are milliseconds. */
export function readParquetRows(content: Uint8Array): readonly Readonly<Record<string, unknown>>[] {
  const table = tableFromIPC(readParquet(content).intoIPCStream())
  return table.toArray().map((row) => ({ ...row.toJSON() }))
}
