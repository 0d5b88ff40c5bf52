/** Settings of what the service stands on: the database, NATS, and the keys that seal secrets. */
import { addressesOfNats, addressWithPassword, copies, masterKeys, wholeNumber } from './kinds.ts'
import { requiredSetting, setting } from './setting.ts'

const inPostgres = addressWithPassword('postgres', 'postgresql')
const every = 'every command'

export const stores = {
  databaseUrl: requiredSetting({
    ...{ name: 'DATABASE_URL', kind: inPostgres, secrecy: 'password' },
    meaning: 'The user that serves requests, its password, and the database.',
    ...{ neededWhen: 'always', usedBy: every },
    example: 'postgres://user:password@host:5432/switchyard',
  }),
  databaseOwnerUrl: setting({
    ...{ name: 'DATABASE_OWNER_URL', kind: inPostgres, default: null, secrecy: 'password' },
    otherwise: 'that of `DATABASE_URL`',
    meaning: 'The user that owns the tables. With it, `DATABASE_URL` may name a user that owns nothing.',
    neededWhen: 'processes that face the network must not be able to change a table',
    usedBy: '`migrate`, `doctor`, and `worker` and `all` for their chores',
    example: 'postgres://owner:password@host:5432/switchyard',
  }),
  vaultDatabaseUrl: setting({
    ...{ name: 'VAULT_DATABASE_URL', kind: inPostgres, default: null, secrecy: 'password' },
    otherwise: 'that of `DATABASE_URL`',
    meaning: 'The user of the [vault](../guides/card-data.md#for-operators), of the same database.',
    neededWhen: 'the user that serves requests must not be able to read sealed cards',
    usedBy: '`api`, `worker`, `all`',
    example: 'postgres://vault:password@host:5432/switchyard',
  }),
  databasePool: setting({
    ...{ name: 'DATABASE_POOL', kind: wholeNumber(2, 500), default: '16', secrecy: 'open' },
    meaning:
      'Connections per process for requests and work. A process opens up to ten more for special purposes, see [capacity](../operations/capacity.md#connections).',
    neededWhen: '`switchyard_database_connections` shows requests that wait, or `max_connections` is short',
    ...{ usedBy: every, example: '16' },
  }),
  databaseDiskGb: setting({
    ...{ name: 'DATABASE_DISK_GB', kind: wholeNumber(1, 1_000_000), default: null, secrecy: 'open' },
    otherwise: 'unknown, and `doctor` says so',
    meaning:
      'How many gigabytes (of 2^30 bytes) the volume of the database holds. PostgreSQL cannot say that itself; with it, `doctor` can tell when the volume fills.',
    neededWhen: 'nothing else watches the volume',
    ...{ usedBy: '`doctor` and `GET /system`', example: '500' },
  }),
  natsUrl: setting({
    ...{ name: 'NATS_URL', kind: addressesOfNats, default: null, secrecy: 'password' },
    otherwise: 'no NATS: one process does all work that happens later',
    meaning:
      'Servers of NATS, separated by commas. Credentials stand in the first: `nats://user:password@host`, or `nats://token@host`.',
    neededWhen: 'there is more than one process',
    ...{ usedBy: '`api`, `worker`, `all`, `doctor`', example: 'nats://user:password@host:4222' },
  }),
  natsReplicas: setting({
    ...{ name: 'NATS_REPLICAS', kind: copies, default: '1', secrecy: 'open' },
    meaning: 'Copies of the stream of work.',
    neededWhen: 'NATS runs as a cluster of three and more',
    ...{ usedBy: '`worker`, `all`', example: '3' },
  }),
  masterKeys: requiredSetting({
    ...{ name: 'MASTER_KEYS', kind: masterKeys, secrecy: 'keys' },
    meaning:
      'Seal the keys of workspaces, separated by commas: the first seals, all of them open. See [master keys](../operations/security.md#master-keys).',
    ...{ neededWhen: 'always, and the same in every process', usedBy: every },
    example: '2026-11:$(openssl rand -base64 32)',
  }),
} as const
