/** Times in requests. A string that matches the schema may still not be a valid time. */
import { refuseMember } from './errors.ts'

export function parseTime(text: string, pointer: string): Date {
  const at = new Date(text)
  return Number.isNaN(at.getTime())
    ? refuseMember(pointer, 'bad_format', 'must be a valid time such as 2027-01-31T00:00:00Z')
    : at
}

export function parseFutureTime(text: string, pointer: string, now: Date): Date {
  const at = parseTime(text, pointer)
  return at <= now ? refuseMember(pointer, 'too_small', 'must be in the future') : at
}
