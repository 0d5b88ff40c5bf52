/**
 * Whether a workspace accepts card numbers: only test cards in test mode, and none in live mode until the
 * operator allows them and an ADMIN has confirmed. None at all if the workspace collects cards elsewhere.
 */
import type { Mode } from '../../../kernel/id.ts'

export const vaultStatuses = ['test_cards', 'disabled', 'enabled'] as const
export type VaultStatus = (typeof vaultStatuses)[number]

/** The text an ADMIN enters. It is stored with the time and the token as a record of the confirmation. */
export const confirmation =
  'This workspace takes card numbers. That puts it, and whoever operates this installation, in full scope of PCI DSS (SAQ D).'

export type Vault = {
  readonly status: VaultStatus
  readonly isSelected: boolean
  readonly isAllowedByOperator: boolean
  readonly confirmedAt: Date | null
}

/** `isSelected`: the workspace collects card data in the vault of Switchyard. */
export function vaultOf(
  mode: Mode,
  { isSelected, isAllowedByOperator, confirmedAt }: Omit<Vault, 'status'>,
): Vault {
  const isEnabled = isAllowedByOperator && confirmedAt !== null
  const status = !isSelected
    ? 'disabled'
    : mode === 'test'
      ? 'test_cards'
      : isEnabled
        ? 'enabled'
        : 'disabled'
  return { status, isSelected, isAllowedByOperator, confirmedAt }
}
