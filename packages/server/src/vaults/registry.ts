/** All card vaults. Each is in the folder that has its id as name. */
import { basisTheory } from './basis-theory/vault.ts'
import type { CardVault } from './contract.ts'
import type { VaultName } from './vault-names.ts'
import { vgs } from './vgs/vault.ts'

export const vaults: { readonly [Name in VaultName]: CardVault } = { basis_theory: basisTheory, vgs }
