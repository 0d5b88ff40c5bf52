/**
 * The manifest of a daily export. It is uploaded last and is identical on every upload, so a reader who finds it can
 * rely on the file that it names. No side effects.
 */
import type { Export } from './export.ts'
import { fileNameOf } from './export.ts'
import type { Sums } from './sums.ts'

export const manifestName = 'manifest.json'

/** A range of bytes of the file, for readers that load a large file in parts. */
export type FilePart = { readonly start: number; readonly bytes: number; readonly sha256: string }

export function manifestText(exported: Export, extension: string, parts: readonly FilePart[]): string {
  const { id, source, format, fromOn, rowCount, sums, bytes, sha256, createdAt } = exported
  const file = { name: fileNameOf(exported, extension), rows: rowCount, bytes, sha256 }
  const manifest = {
    version: 1,
    export_id: id,
    of: source,
    format,
    day: fromOn,
    created_at: createdAt.toISOString(),
    rows: rowCount,
    // Decimal integers in minor units, as strings: they can exceed what JSON readers represent exactly.
    sums: listOf(sums),
    files: [file],
    parts: parts.map((part, index) => ({ number: index + 1, ...part })),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function listOf(sums: Sums) {
  return Object.entries(sums).flatMap(([column, byCurrency]) =>
    Object.entries(byCurrency).map(([currency, amount]) => ({ column, currency, amount })),
  )
}
