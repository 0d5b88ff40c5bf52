/** Settings for the infrastructure: the database, NATS, and the keys that encrypt secrets. */
import { addressWithPassword, masterKeys, natsUrls, replicas, wholeNumber } from './kinds.ts'
import { requiredSetting, setting } from './setting.ts'

const postgresUrl = addressWithPassword('postgres', 'postgresql')
const allCommands = 'every command'

export const storageSettings = {
  databaseUrl: requiredSetting({
    name: 'DATABASE_URL',
    kind: postgresUrl,
    secrecy: 'password',
    meaning: 'PostgreSQL URL: the user that serves requests, its password and the database.',
    neededWhen: 'Always',
    usedBy: allCommands,
    example: 'postgres://user:password@host:5432/switchyard',
  }),
  databaseOwnerUrl: setting({
    name: 'DATABASE_OWNER_URL',
    kind: postgresUrl,
    default: null,
    secrecy: 'password',
    otherwise: 'the value of `DATABASE_URL`',
    meaning:
      'PostgreSQL URL of the user that owns the tables. If it is set, `DATABASE_URL` can name a user that owns nothing.',
    neededWhen: 'To prevent processes that serve requests from changing the database schema',
    usedBy: '`migrate`, `doctor`, and the maintenance jobs of `worker` and `all`',
    example: 'postgres://owner:password@host:5432/switchyard',
  }),
  vaultDatabaseUrl: setting({
    name: 'VAULT_DATABASE_URL',
    kind: postgresUrl,
    default: null,
    secrecy: 'password',
    otherwise: 'the value of `DATABASE_URL`',
    meaning:
      'PostgreSQL URL of the [vault](../guides/card-data.md#for-operators) user, in the same database.',
    neededWhen: 'To prevent the user that serves requests from reading encrypted cards',
    usedBy: '`api`, `worker`, `all`',
    example: 'postgres://vault:password@host:5432/switchyard',
  }),
  databasePool: setting({
    name: 'DATABASE_POOL',
    kind: wholeNumber(2, 500),
    default: '16',
    secrecy: 'open',
    meaning:
      'Connection pool size per process. A process opens up to ten additional connections for special purposes; see [capacity](../operations/capacity.md#connections).',
    neededWhen:
      'If `switchyard_database_connections` shows waiting requests, or if `max_connections` is too low',
    usedBy: allCommands,
    example: '16',
  }),
  databaseDiskGb: setting({
    name: 'DATABASE_DISK_GB',
    kind: wholeNumber(1, 1_000_000),
    default: null,
    secrecy: 'open',
    otherwise: 'unknown, and `doctor` reports it',
    meaning:
      'Size of the database volume in GiB (2^30 bytes). PostgreSQL does not report it; with this setting, `doctor` can warn before the volume is full.',
    neededWhen: 'If nothing else monitors the volume',
    usedBy: '`doctor` and `GET /system`',
    example: '500',
  }),
  natsUrl: setting({
    name: 'NATS_URL',
    kind: natsUrls,
    default: null,
    secrecy: 'password',
    otherwise: 'no NATS: a single process does all background work',
    meaning:
      'NATS servers, separated by commas. Credentials go into the first one: `nats://user:password@host` or `nats://token@host`.',
    neededWhen: 'If there is more than one process',
    usedBy: '`api`, `worker`, `all`, `doctor`',
    example: 'nats://user:password@host:4222',
  }),
  natsReplicas: setting({
    name: 'NATS_REPLICAS',
    kind: replicas,
    default: '1',
    secrecy: 'open',
    meaning: 'Number of replicas of the JetStream work queue.',
    neededWhen: 'If NATS runs as a cluster of three or more servers',
    usedBy: '`worker`, `all`',
    example: '3',
  }),
  masterKeys: requiredSetting({
    name: 'MASTER_KEYS',
    kind: masterKeys,
    secrecy: 'keys',
    meaning:
      'Keys that encrypt the workspace keys, separated by commas. The first key encrypts; all keys can decrypt. See [master keys](../operations/security.md#master-keys).',
    neededWhen: 'Always, with the same value in every process',
    usedBy: allCommands,
    example: '2026-11:$(openssl rand -base64 32)',
  }),
} as const
