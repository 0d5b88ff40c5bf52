/**
 * Compresses the bodies of a request for the log. Most of a body is names of members and redacted text, which a
 * dictionary contains already. PostgreSQL would store such a row uncompressed: it compresses rows above 2 KB only.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assert } from '../../../kernel/assert.ts'
import { dictionary1 } from './body-dictionary.ts'

export type Bodies = { readonly requestBody: string | null; readonly responseBody: string | null }

/** By the number in the first byte of the stored bodies. New bodies use the last one. */
const dictionaries = new Map([[1, Buffer.from(dictionary1)]])
const current = Math.max(...dictionaries.keys())

/** JSON never contains this character unescaped, and is never empty. */
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
