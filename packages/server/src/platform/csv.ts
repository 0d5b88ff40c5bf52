/**
 * Reads the records of a CSV file while its bytes are received. Memory does not grow with the size of the
 * file. Lines without quotes are split here, which is faster than a parser that reads each character. All
 * other lines, and those that do not have the length of the header, are read by csv-parse, whose error
 * messages are used.
 */
import { StringDecoder } from 'node:string_decoder'
import { CsvError, parse } from 'csv-parse/sync'
import { refuse } from '../kernel/errors.ts'

/** The longest line. Reports of providers have lines of at most a few thousand characters. */
const maxRecordCharacters = 100_000
/** Longer lines are left to csv-parse, which counts bytes: a character has at most three per UTF-16 unit. */
const maxPlainCharacters = maxRecordCharacters / 3

type Records = readonly (readonly string[])[]

/** Yields the records of each received chunk. The first record of the first chunk is the header. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter }: { readonly delimiter: string },
): AsyncGenerator<Records> {
  const decode = textDecoder()
  const lines = lineSplitter()
  const read = recordReader(delimiter)
  for await (const chunk of chunks) {
    const complete = lines.add(decode(chunk), false)
    if (complete.length > 0) yield read(complete, { newline: lines.newline(), isLast: false })
    if (lines.rest().length > 4 * maxRecordCharacters) {
      read([lines.rest()], { newline: lines.newline(), isLast: true })
      refuseMalformed(`a line is longer than ${maxRecordCharacters} characters`)
    }
  }
  const complete = lines.add(decode(null), true)
  yield read([...complete, lines.rest()], { newline: lines.newline(), isLast: true })
}

/** Decodes UTF-8, or UTF-16 after its byte order mark. Null ends the text. */
function textDecoder(): (chunk: Uint8Array | null) => string {
  let decoder: StringDecoder | null = null
  let start = Buffer.alloc(0)
  return (chunk) => {
    if (decoder !== null) return chunk === null ? decoder.end() : decoder.write(asBuffer(chunk))
    if (chunk !== null) start = Buffer.concat([start, chunk])
    // The byte order mark of UTF-8 has three bytes.
    if (chunk !== null && start.length < 3) return ''
    decoder = new StringDecoder(encodingOf(start))
    return decoder.write(start).replace(/^\uFEFF/, '')
  }
}

function encodingOf(start: Buffer): BufferEncoding {
  return start[0] === 0xff && start[1] === 0xfe ? 'utf16le' : 'utf8'
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** Splits text into lines. The first line ends with the newline of the file: LF, CR LF or CR. */
function lineSplitter() {
  let newline: string | null = null
  let rest = ''
  return {
    newline: () => newline ?? '\n',
    rest: () => rest,
    /** Returns the complete lines. */
    add(text: string, isLast: boolean): readonly string[] {
      rest += text
      newline ??= newlineIn(rest, isLast)
      if (newline === null) return []
      const lines = rest.split(newline)
      rest = lines.pop() ?? ''
      return lines
    },
  }
}

const upToNewline = /^(?:[^"\r\n]|"[^"]*")*(\r\n|\n|\r)/

/** The first newline outside quotes. Null while it is not known: an LF may follow a CR. */
function newlineIn(text: string, isLast: boolean): string | null {
  const [line, newline = null] = upToNewline.exec(text) ?? []
  return newline === '\r' && line?.length === text.length && !isLast ? null : newline
}

/** Returns a function that reads the records in the next lines. A quoted value may contain newlines. */
function recordReader(delimiter: string) {
  let header: Header | null = null
  /** How many lines were read. */
  let linesRead = 0
  /** The last lines, if csv-parse has to read them; and whether they end inside a quoted value. */
  let others: string[] = []
  let othersLength = 0
  let isQuoted = false

  const parseOthers = (newline: string): Records => {
    if (others.length === 0) return []
    const text = others.join(newline)
    const linesBefore = linesRead - others.length
    const { length: lines } = others
    others = []
    othersLength = 0
    isQuoted = false
    if (header !== null) return parseAfter(header, text, { delimiter, newline, linesBefore })
    const records = parseText(text, { delimiter, newline, linesBefore })
    header = { text: text + newline, lines, width: records[0]?.length ?? 0 }
    return records
  }
  /** The values of a line that needs no parser, none if it is empty, and null if csv-parse has to read it. */
  const plainValues = (line: string): readonly string[] | null => {
    if (isQuoted) return null
    if (line === '') return []
    if (header === null || line.length > maxPlainCharacters || line.includes('"')) return null
    const values = line.split(delimiter)
    return values.length === header.width ? values : null
  }
  /**
   * Adds a line that csv-parse has to read. Returns whether csv-parse has to read them now, because they are
   * complete or too long.
   */
  const addOther = (line: string): boolean => {
    others.push(line)
    othersLength += line.length
    isQuoted = isQuoted !== hasOddQuotes(line)
    return (header === null && !isQuoted) || othersLength > 4 * maxRecordCharacters
  }
  /** Adds the records that are complete with this line. */
  const addLine = (records: (readonly string[])[], line: string, newline: string) => {
    const values = plainValues(line)
    if (values !== null && others.length > 0) records.push(...parseOthers(newline))
    linesRead += 1
    if (values === null && addOther(line)) records.push(...parseOthers(newline))
    if (values !== null && values.length > 0) records.push(values)
  }
  return (lines: readonly string[], { newline, isLast }: { newline: string; isLast: boolean }): Records => {
    const records: (readonly string[])[] = []
    for (const line of lines) addLine(records, line, newline)
    if (!isQuoted || isLast) records.push(...parseOthers(newline))
    return records
  }
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

type Header = { readonly text: string; readonly lines: number; readonly width: number }
type Position = { readonly delimiter: string; readonly newline: string; readonly linesBefore: number }

/** Parses records after the header, which determines how many values they must have. */
function parseAfter({ text: header, lines }: Header, text: string, position: Position): Records {
  return parseText(header + text, { ...position, linesBefore: position.linesBefore - lines }).slice(1)
}

function parseText(text: string, { delimiter, newline, linesBefore }: Position): Records {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: newline,
      skip_empty_lines: true,
      max_record_size: maxRecordCharacters,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const inFile = (_: string, word: string, line: string) => `${word} line ${Number(line) + linesBefore}`
    return refuseMalformed(error.message.replace(/\b(at|on) line (\d+)/, inFile))
  }
}

function refuseMalformed(problem: string): never {
  return refuse('invalid_settlement_file', { detail: `The file is not valid CSV: ${problem}.` })
}
