/**
 * Emulated accounts: the simulator answers in the wire format of the provider, so that a connector can be tried without
 * an account at the provider. Credentials are generated, and missing settings get valid values.
 */
import { randomBytes } from 'node:crypto'
import type { Setup } from '../../../providers/contract.ts'
import type { Credentials } from './credentials.ts'

export function emulatedCredentials({ emulated }: Setup): Credentials {
  return Object.fromEntries(
    Object.entries(emulated.credentials).map(([name, template]) => [name, fill(template)]),
  )
}

export function emulatedSettings(
  { emulated }: Setup,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...emulated.settings, ...given }
}

/** Replaces `{hex26}` with 26 random hexadecimal digits. */
function fill(template: string): string {
  return template.replace(/\{hex(\d+)\}/g, (_, digits: string) =>
    randomBytes(Number(digits)).toString('hex').slice(0, Number(digits)),
  )
}
