// Environment variables and options of the other programs in this repository. A guard checks that none is missing.

type OtherProgram = {
  readonly title: string
  readonly about: string
  readonly settings: readonly { readonly name: string; readonly meaning: string }[]
}

export const otherPrograms: readonly OtherProgram[] = [
  {
    title: 'Command line tool',
    about:
      '`npx switchyard` uses a profile from `login`, or these variables. The [commands](cli.md) also have options.',
    settings: [
      { name: 'SWITCHYARD_TOKEN', meaning: 'An API token to use instead of a profile. A secret.' },
      { name: 'SWITCHYARD_BASE_URL', meaning: 'The URL of the API, used with `SWITCHYARD_TOKEN`.' },
      { name: 'SWITCHYARD_DASHBOARD_URL', meaning: 'The URL of the dashboard, for `open`.' },
      { name: 'SWITCHYARD_PROFILE', meaning: 'The profile to use instead of the current one.' },
      {
        name: 'SWITCHYARD_WEBHOOK_SECRET',
        meaning: 'The secret of an endpoint, for `verify`. A secret.',
      },
      { name: 'XDG_CONFIG_HOME', meaning: 'The folder for profiles. Default: `~/.config`.' },
      {
        name: 'XDG_STATE_HOME',
        meaning: 'The folder for the progress of `listen`. Default: `~/.local/state`.',
      },
      {
        name: 'XDG_CACHE_HOME',
        meaning: 'The folder for cached compiled code, which makes start-up faster. Default: `~/.cache`.',
      },
      { name: 'CI', meaning: 'If set, there are no prompts, no colours and no progress lines.' },
      { name: 'TERM', meaning: '`dumb` has the same effect as `CI`.' },
      { name: 'NO_COLOR', meaning: 'If set, there are no colours.' },
      {
        name: 'DATABASE_URL',
        meaning:
          'For `migrate`, together with `MASTER_KEYS`: as for the server. Default: the values of `npm run dev`.',
      },
    ],
  },
  {
    title: 'Simulator',
    about: 'Options of `node packages/simulator/src/main.ts --listen 127.0.0.1:8082`.',
    settings: [
      { name: '--listen', meaning: '`host:port`. Default: a free port on the loopback interface.' },
      { name: '--ledger', meaning: 'The ledger file, with one line for each movement of money.' },
      { name: '--public-url', meaning: 'The URL of its pages for payers, if it differs from `--listen`.' },
      {
        name: '--webhook-origin',
        meaning: 'The origin for webhooks, such as `http://switchyard:8081`, instead of `TEST_BASE_URL`.',
      },
      {
        name: 'SIMULATOR_SECRET',
        meaning:
          'An environment variable: the bearer token for control calls. Without it, control calls are only accepted from the same machine. A secret.',
      },
      {
        name: '--dialect',
        meaning: '`name:port`: serves the wire format of a provider on its own port. Can be repeated.',
      },
      {
        name: '--account',
        meaning: '`name:secret[,secret]:webhook_url`: an initial account. Can be repeated.',
      },
    ],
  },
  {
    title: 'compose.yaml',
    about:
      'Set these in an `.env` file next to it. Other server settings that `compose.yaml` lists are passed to the server.',
    settings: [
      {
        name: 'POSTGRES_PASSWORD',
        meaning: 'The password of the database. Letters and digits. A secret.',
      },
      {
        name: 'NATS_PASSWORD',
        meaning: 'The password of NATS. Letters and digits. A secret.',
      },
      { name: 'MASTER_KEYS', meaning: 'As above.' },
      {
        name: 'SIMULATOR_SECRET',
        meaning: 'The secret shared by Switchyard and the simulator. Letters and digits.',
      },
      {
        name: 'SIMULATOR_PUBLIC_URL',
        meaning: 'The URL of the 3-D Secure pages for payers. Default: `http://127.0.0.1:8082`.',
      },
      {
        name: 'NODE_IMAGE, POSTGRES_IMAGE, NATS_IMAGE',
        meaning:
          'The base image of Switchyard, and the images of PostgreSQL and NATS. Add a digest to pin one: `postgres:18@sha256:…`.',
      },
      {
        name: 'LIVE_BASE_URL, TEST_BASE_URL, DASHBOARD_BASE_URL, LOG_LEVEL',
        meaning: 'As above, with defaults for one machine.',
      },
    ],
  },
  {
    title: 'Development and tests',
    about:
      '`npm run dev` passes the environment to the server and sets missing values. It always uses its own database, master key and simulator: `DATABASE_URL`, `MASTER_KEYS` and `SIMULATOR_URL` have no effect.',
    settings: [
      {
        name: 'LIVE_LISTEN, TEST_LISTEN, DASHBOARD_LISTEN, OPS_LISTEN',
        meaning:
          'As above. If an address is set and its port is taken, the start fails. If it is not set and the default port is taken, a free port is used. Port 0 means any free port.',
      },
      { name: 'NATS_URL', meaning: 'The URL of your own NATS server. Without it `npm run dev` starts one.' },
      {
        name: 'SWITCHYARD_DEV_FOLDER',
        meaning:
          'The folder for development data; set it to run two instances in one clone. Default: `.switchyard`. The CLI also reads it, for `login --dev` and `migrate`.',
      },
      {
        name: 'NATS_SERVER_BIN',
        meaning: 'The path of `nats-server`, if it is not on PATH and cannot be downloaded.',
      },
      { name: 'CHROMIUM_BIN', meaning: 'The path of Chromium for page tests, if it is not on PATH.' },
      {
        name: 'SWITCHYARD_TOKEN, SWITCHYARD_BASE_URL',
        meaning: 'The workspace for `npm run seed`. Default: the workspace of `npm run dev`.',
      },
      {
        name: 'PROMETHEUS_BIN',
        meaning: 'The path of `prometheus` for `npm run drill:metrics`, if it is not on PATH.',
      },
      {
        name: 'SMOKE_BASE_URL, SMOKE_CURRENCY, SMOKE_CARD, SMOKE_CARD_DECLINED, SMOKE_CARD_3DS',
        meaning:
          'For `npm run provider:smoke`: the URL of the provider, the currency, and cards that are approved, declined, and authenticated with 3-D Secure. Defaults: the sandbox, `eur`, and test cards of the provider. Each credential and setting of the provider maps to an environment variable: upper case, prefixed with `SMOKE_`, such as `SMOKE_SECRET_KEY`.',
      },
      { name: 'FC_SEED', meaning: 'The seed of a failed run of property-based tests, to repeat it.' },
      { name: 'BILLING_CASES', meaning: 'The number of random billing years to test. Default: 2000.' },
      { name: 'TEST_SHARDS', meaning: 'Set to 2 to run a test file on two data shards.' },
      { name: 'WEBHOOK_EVENTS', meaning: 'The number of events in the webhook flow test. Default: 1000.' },
      { name: 'GOLDEN', meaning: '`write` rewrites the golden files of billing.' },
      {
        name: 'SCREENSHOTS',
        meaning: 'The folder for screenshots of page tests. Without it, no screenshots are taken.',
      },
    ],
  },
]
