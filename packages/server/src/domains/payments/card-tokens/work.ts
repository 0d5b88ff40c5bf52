import type { WorkType } from '../../../deps.ts'
import { purgeVault } from './service/purge.ts'
import { listDueVaults } from './store/vault.ts'

export const purgeVaults: WorkType<'workspace'> = {
  name: 'vault.purge',
  objectKind: 'workspace',
  due: (db, now, limit) => listDueVaults(db, 'vault.purge', now, limit),
  handle: purgeVault,
}
