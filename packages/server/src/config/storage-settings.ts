/** Settings for the infrastructure: the database, NATS, and the keys that encrypt secrets. */
import { addressWithPassword, masterKeys, namedUrls, natsUrls, replicas, wholeNumber } from './kinds.ts'
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
  shards: setting({
    name: 'SHARDS',
    kind: namedUrls,
    default: null,
    secrecy: 'password',
    otherwise: 'one shard, `shard0`, at `DATABASE_URL`',
    meaning:
      'Names and PostgreSQL URLs of the [data shards](../operations/scale.md), which store the workspaces, separated by commas. `DATABASE_URL` is then only the control plane; it can be the same database as one of the shards. The first shard has the slots that are not assigned to another one.',
    neededWhen: 'If one database is too small',
    usedBy: allCommands,
    example:
      'a=postgres://user:password@host-a:5432/switchyard,b=postgres://user:password@host-b:5432/switchyard',
  }),
  shardOwners: setting({
    name: 'SHARD_OWNERS',
    kind: namedUrls,
    default: null,
    secrecy: 'password',
    otherwise: 'the values of `SHARDS`',
    meaning: 'Like `DATABASE_OWNER_URL`, for each of the `SHARDS`.',
    neededWhen: 'To prevent processes that serve requests from changing the database schema',
    usedBy: '`migrate`, `doctor`, and the maintenance jobs of `worker` and `all`',
    example:
      'a=postgres://owner:password@host-a:5432/switchyard,b=postgres://owner:password@host-b:5432/switchyard',
  }),
  shardVaults: setting({
    name: 'SHARD_VAULTS',
    kind: namedUrls,
    default: null,
    secrecy: 'password',
    otherwise: 'the values of `SHARDS`',
    meaning: 'Like `VAULT_DATABASE_URL`, for each of the `SHARDS`.',
    neededWhen: 'To prevent the user that serves requests from reading encrypted cards',
    usedBy: '`api`, `worker`, `all`',
    example:
      'a=postgres://vault:password@host-a:5432/switchyard,b=postgres://vault:password@host-b:5432/switchyard',
  }),
  databasePool: setting({
    name: 'DATABASE_POOL',
    kind: wholeNumber(2, 500),
    default: '16',
    secrecy: 'open',
    meaning:
      'Connection pool size per process and database. A process opens up to ten additional connections for special purposes; see [capacity](../operations/capacity.md#connections).',
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
