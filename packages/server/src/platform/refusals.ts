/** Refusals as values, for pages that show them instead of an error. */
import { type ErrorCode, Refusal } from '../kernel/errors.ts'

/** Null if the action is refused with one of the codes. Other errors are thrown. */
export async function unlessRefused<T>(
  codes: readonly ErrorCode[],
  action: () => Promise<T>,
): Promise<T | null> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof Refusal && codes.includes(error.code)) return null
    throw error
  }
}
