// Every bench, drill, soak and long test of package.json in its short form. A guard compares this list with
// package.json, so that no command is forgotten.

export type NightlyCommand = {
  /** The name of the script in package.json. */
  readonly script: string
  readonly args: readonly string[]
  /** After this many minutes the command is stopped and counts as failed. */
  readonly minutes: number
  /** Requirements beyond `npm ci`, shown when it fails. */
  readonly needs?: string
}

const command = (script: string, minutes: number, ...args: string[]): NightlyCommand => ({
  script,
  args,
  minutes,
})
const withRequirement = (needs: string, base: NightlyCommand): NightlyCommand => ({ ...base, needs })

const chromium = 'a Chromium on PATH or in CHROMIUM_BIN'
const registry = 'the npm registry'

export const nightlyCommands: readonly NightlyCommand[] = [
  command('bench', 20, '--short'),
  withRequirement(chromium, command('bench:dashboard', 10, '--payments', '1000', '--seconds', '3')),
  command('bench:calendar', 2),
  command('bench:connectors', 2),
  command('bench:renewals', 10, '--subscriptions', '300', '--workers', '2', '--kills'),
  command('bench:renewals', 10, '--scan', '20000'),
  command('bench:webhooks', 20, '--short'),
  command('bench:routes', 5),
  command('bench:routes', 10, '--history', '5000'),
  command('bench:year', 5, '--rounds', '1'),
  command('bench:links', 10, '--short'),
  command('bench:settlement', 10, '--lines', '20000'),
  command('bench:usage', 10, '--seconds', '20', '--rate', '2000'),
  command('bench:usage', 10, '--seconds', '30', '--rate', '1000', '--kills'),
  command('bench:exports', 5, '--rows', '20000'),
  command('capacity', 2, '--payments-per-second', '100'),
  // Nightly runs may use a slow machine, so the latency limit is looser. The other checks are unchanged.
  command('soak', 15, '--seconds', '90', '--rate', '5', '--p99', '5000'),
  command('counters', 20),
  command('growth', 20, '--rows', '20000'),
  command('test:billing', 10, '--cases', '1000'),
  command('test:invoices', 10, '--invoices', '1000000'),
  command('test:invoices', 10, '--mutants', '--invoices', '5000'),
  command('test:e-invoices', 10, '--invoices', '500'),
  command('test:taxes', 10, '--invoices', '1000'),
  command('test:money', 20, '--sequences', '600', '--seed', '424242'),
  command('test:money', 15, '--sequences', '200', '--seed', '424243', '--shards', '2'),
  withRequirement(registry, command('test:runtimes', 15)),
  command('test:listen', 10, '--minutes', '0.1'),
  // The breaker stays open for 30 seconds, so a shorter outage would measure this period instead of the recovery.
  command('test:outage', 10, '--seconds', '40', '--rate', '10', '--before', '5'),
  command(
    'test:outage',
    10,
    '--seconds',
    '40',
    '--rate',
    '20',
    '--before',
    '5',
    '--providers',
    'stripe_adyen',
  ),
  command('test:connector-mutants', 20),
  command('test:cuts', 20, '--every', '29'),
  command('test:cuts', 20, '--calls', '--every', '3'),
  command('test:vaults', 20, '--sequences', '250'),
  command('test:mails', 20, '--mails', '20000'),
  command('test:crashes', 20),
  command('test:shards', 20),
  command('test:hostile', 20),
  withRequirement(chromium, command('test:screens', 20)),
  command('provider:smoke', 5, 'all', '--emulated'),
  command('drill:restore', 10, '--seconds', '6', '--rate', '5', '--subscriptions', '3'),
  command('drill:region', 10, '--charges', '200'),
  command(
    'drill:shards',
    10,
    '--seconds',
    '15',
    '--shard-seconds',
    '15',
    '--control-seconds',
    '20',
    '--rate',
    '5',
    '--subscriptions',
    '2',
  ),
  command('drill:move', 15, '--payments', '2000', '--rate', '5', '--subscriptions', '2', '--seconds', '4'),
  command(
    'drill:move',
    20,
    '--payments',
    '0',
    '--rate',
    '3',
    '--kill',
    'source,target,control',
    '--steps',
    'subscribed,fenced,flipped',
  ),
  command('drill:upgrade', 10, '--seconds', '4', '--rate', '5', '--subscriptions', '2'),
  withRequirement(
    'Linux, root, and the programs that it names',
    command(
      'drill:failover',
      15,
      '--faults',
      'kill,machine',
      '--seconds',
      '4',
      '--rate',
      '5',
      '--subscriptions',
      '2',
    ),
  ),
  withRequirement(registry, command('drill:first-minutes', 15)),
  withRequirement(
    'a Docker engine with Compose 2, or root on Debian with the packages that it lists',
    command('drill:containers', 20, '--seconds', '6', '--rate', '3'),
  ),
  withRequirement('the program prometheus on PATH or in PROMETHEUS_BIN', command('drill:metrics', 10)),
  withRequirement(chromium, command('demo:link', 5)),
]

/** Scripts that CI runs as they are. */
export const runByCi: readonly string[] = ['test', 'check']
