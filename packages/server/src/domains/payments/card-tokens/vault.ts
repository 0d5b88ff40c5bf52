/**
 * Whether a workspace accepts card numbers: only test cards in test mode, and none in live mode until the
 * operator allows them and an ADMIN has confirmed.
 */
import type { Mode } from '../../../kernel/id.ts'

export const vaultStatuses = ['test_cards', 'disabled', 'enabled'] as const
export type VaultStatus = (typeof vaultStatuses)[number]

/** The text an ADMIN enters. It is stored with the time and the token as a record of the confirmation. */
export const confirmation =
  'This workspace takes card numbers. That puts it, and whoever operates this installation, in full scope of PCI DSS (SAQ D).'

export type Vault = {
  readonly status: VaultStatus
  readonly isAllowedByOperator: boolean
  readonly confirmedAt: Date | null
}

export function vaultOf(mode: Mode, isAllowedByOperator: boolean, confirmedAt: Date | null): Vault {
  const isEnabled = isAllowedByOperator && confirmedAt !== null
  const status = mode === 'test' ? 'test_cards' : isEnabled ? 'enabled' : 'disabled'
  return { status, isAllowedByOperator, confirmedAt }
}
