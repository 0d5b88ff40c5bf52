/**
 * The six-digit codes that are sent by e-mail. A code is derived from its id with our key, so it is not
 * stored: neither a row nor the e-mail in the database contains it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ref } from './id.ts'
import type { SigningKeys } from './signature.ts'

/** Shown instead of the code where it must not be visible. */
export const hiddenCode = '••••••'

export function loginCodeOf([key]: SigningKeys, ref: Ref<'login_code'>): string {
  return derive(key as Uint8Array, ref)
}

/** Compares in constant time. */
export function isLoginCode(keys: SigningKeys, ref: Ref<'login_code'>, text: string): boolean {
  const given = Buffer.from(text)
  return keys.some((key) => {
    const code = Buffer.from(derive(key, ref))
    return code.length === given.length && timingSafeEqual(code, given)
  })
}

/** The remainder is biased by less than one in ten million. */
function derive(key: Uint8Array, { workspaceId, id }: Ref<'login_code'>): string {
  const bytes = createHmac('sha256', key).update(`login code ${workspaceId} ${id}`).digest()
  return String(bytes.readBigUInt64BE() % 1_000_000n).padStart(6, '0')
}
