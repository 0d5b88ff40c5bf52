/** All card vaults. Each is in a folder named after its id. */
import { basisTheory } from './basis-theory/vault.ts'
import type { CardVault } from './contract.ts'
import type { VaultName } from './vault-names.ts'
import { vgs } from './vgs/vault.ts'

export const vaults: { readonly [Name in VaultName]: CardVault } = { basis_theory: basisTheory, vgs }
