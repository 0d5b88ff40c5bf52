/**
 * Parses JSON from a provider. Anything that does not match the schema is rejected: no member is guessed,
 * converted or taken from elsewhere. Errors name the member, but never its value.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export class Unreadable extends Error {
  override name = 'Unreadable'
}

/** Compiled once per schema; throws `Unreadable`. Additional members are ignored. */
export function readerOf<S extends TSchema>(schema: S): (text: string) => Static<S> {
  const validator = Compile(schema)
  return (text) => {
    const value = fromJson(text)
    if (validator.Check(value)) return value
    const [fault] = validator.Errors(value)
    throw new Unreadable(`The member ${fault?.instancePath || '/'} ${fault?.message ?? 'is not valid'}.`)
  }
}

/** Whether the text is JSON that matches the schema. */
export function testOf(schema: TSchema): (text: string) => boolean {
  const read = readerOf(schema)
  return (text) => {
    try {
      read(text)
      return true
    } catch {
      return false
    }
  }
}

/** Null if the value cannot be read. */
export function orNull<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** The message of the JSON parser quotes the text, which may contain a card number. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable('The body is not JSON.')
  }
}
