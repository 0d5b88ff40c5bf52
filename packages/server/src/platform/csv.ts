/**
 * Reads the records of a CSV file while its bytes are received. Memory does not grow with the size of the file. Rejects
 * malformed files with the line of the error.
 */
import { CsvError, parse } from 'csv-parse'
import { refuse } from '../kernel/errors.ts'

/** The longest line. Reports of providers have lines of at most a few thousand characters. */
const maxRecordCharacters = 100_000

/** Yields the records of each received chunk. The first record of the first chunk is the header. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter }: { readonly delimiter: string },
): AsyncGenerator<readonly (readonly string[])[]> {
  const parser = parse({ bom: true, delimiter, skip_empty_lines: true, max_record_size: maxRecordCharacters })
  let records: string[][] = []
  parser.on('data', (record: string[]) => records.push(record))
  const take = () => {
    const taken = records
    records = []
    return taken
  }
  const parsed = (write: (done: (error?: Error | null) => void) => unknown) =>
    new Promise<void>((resolve, reject) => {
      parser.once('error', reject)
      write((error) => {
        parser.removeListener('error', reject)
        if (error) reject(error)
        else resolve()
      })
    }).catch(refuseMalformed)
  for await (const chunk of chunks) {
    await parsed((done) => parser.write(chunk, done))
    yield take()
  }
  await parsed((done) => {
    parser.once('end', done)
    parser.end()
  })
  yield take()
}

function refuseMalformed(error: unknown): never {
  if (error instanceof CsvError)
    return refuse('invalid_settlement_file', { detail: `The file is not valid CSV: ${error.message}.` })
  throw error
}
