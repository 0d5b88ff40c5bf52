/**
 * Compresses the bodies of a request for the log. Most of a body consists of member names and redacted text,
 * which the dictionary already contains. PostgreSQL would store most of these rows uncompressed, because it
 * only compresses rows above 2 KB.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assert } from '../../../kernel/assert.ts'
import { dictionary1 } from './body-dictionary.ts'

export type Bodies = { readonly requestBody: string | null; readonly responseBody: string | null }

/** The dictionaries, by the number in the first byte of stored bodies. New bodies use the highest number. */
const dictionaries = new Map([[1, Buffer.from(dictionary1)]])
const current = Math.max(...dictionaries.keys())

/**
 * Separates the two bodies: JSON never contains this character unescaped. An empty part stands for no body.
 */
const separator = '\u001f'

/** Null if there is neither body. */
export function packBodies({ requestBody, responseBody }: Bodies): Buffer | null {
  if (requestBody === null && responseBody === null) return null
  const text = `${requestBody ?? ''}${separator}${responseBody ?? ''}`
  return Buffer.concat([Buffer.of(current), deflateRawSync(text, { dictionary: dictionaries.get(current) })])
}

export function unpackBodies(packed: Buffer | null): Bodies {
  if (packed === null) return { requestBody: null, responseBody: null }
  const [number = 0] = packed
  const dictionary = dictionaries.get(number)
  assert(
    dictionary !== undefined,
    `The bodies need dictionary ${number}: this version of Switchyard is too old.`,
  )
  const text = inflateRawSync(packed.subarray(1), { dictionary }).toString()
  const [requestBody, responseBody] = text.split(separator)
  return { requestBody: requestBody || null, responseBody: responseBody || null }
}
