import type { Work } from '../../deps.ts'
import { purgeVault } from './service/purge.ts'
import { dueVaults } from './store/vault.ts'

export const purgeVaults: Work<'workspace'> = {
  name: 'vault.purge',
  key: 'workspace',
  due: (db, now, limit) => dueVaults(db, 'vault.purge', now, limit),
  handle: purgeVault,
}
