export const vaultNames = ['basis_theory', 'vgs'] as const
export type VaultName = (typeof vaultNames)[number]
