/** Keys made from the master keys, for what is not sealed but proven. */
import { createHmac } from 'node:crypto'
import type { MasterKey } from './sealed-box/keyring.ts'

/** For one purpose: of every master key one, the first first, so that what was proven outlives a rotation. */
export function derivedKeys(masterKeys: readonly MasterKey[], purpose: string): Buffer[] {
  return masterKeys.map(({ key }) => createHmac('sha256', key).update(purpose).digest())
}
