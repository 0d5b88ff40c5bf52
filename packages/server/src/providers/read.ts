/**
 * Reads JSON that a stranger wrote. What has not the shape that was agreed is not read at all: no member is
 * guessed, converted or taken from elsewhere. Errors say which member, and never what stood there.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export class Unreadable extends Error {
  override name = 'Unreadable'
}

/** Made once per shape; throws `Unreadable`. Members that the shape does not name are left alone. */
export function readerOf<S extends TSchema>(schema: S): (text: string) => Static<S> {
  const shape = Compile(schema)
  return (text) => {
    const value = fromJson(text)
    if (shape.Check(value)) return value
    const [fault] = shape.Errors(value)
    throw new Unreadable(`The member ${fault?.instancePath || '/'} ${fault?.message ?? 'is wrong'}.`)
  }
}

/** Whether the text is JSON of that shape. */
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

/** The message of the parser quotes the text, which may hold a card number. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable('It is not JSON.')
  }
}
