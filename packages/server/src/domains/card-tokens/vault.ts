/** Whether a workspace takes card numbers: test cards in the test environment, none in production until two agree. */
import type { Mode } from '../../kernel/id.ts'

export const vaultStatuses = ['test_cards', 'disabled', 'enabled'] as const
export type VaultStatus = (typeof vaultStatuses)[number]

/** What an ADMIN types. It is kept with the time and the token, so it says what was understood. */
export const confirmation =
  'This workspace takes card numbers. That puts it, and whoever operates this installation, in full scope of PCI DSS (SAQ D).'

export type Vault = {
  readonly status: VaultStatus
  readonly isAllowedByOperator: boolean
  readonly confirmedAt: Date | null
}

export function vaultOf(mode: Mode, isAllowedByOperator: boolean, confirmedAt: Date | null): Vault {
  const isAgreed = isAllowedByOperator && confirmedAt !== null
  const status = mode === 'test' ? 'test_cards' : isAgreed ? 'enabled' : 'disabled'
  return { status, isAllowedByOperator, confirmedAt }
}
