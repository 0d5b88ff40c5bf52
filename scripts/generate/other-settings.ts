// What other programs of this repository take from the environment or the command line. A guard looks whether
// something is missing here.

type OtherProgram = {
  readonly title: string
  readonly about: string
  readonly settings: readonly { readonly name: string; readonly meaning: string }[]
}

export const otherPrograms: readonly OtherProgram[] = [
  {
    title: 'Command line tool',
    about:
      '`npx switchyard` takes a profile from `login`, or these. [Its commands](cli.md) have options of their own.',
    settings: [
      { name: 'SWITCHYARD_TOKEN', meaning: 'An API token; nothing is kept then. A secret.' },
      { name: 'SWITCHYARD_BASE_URL', meaning: 'Where the API is. With `SWITCHYARD_TOKEN`.' },
      { name: 'SWITCHYARD_DASHBOARD_URL', meaning: 'Where the dashboard is, for `open`.' },
      { name: 'SWITCHYARD_PROFILE', meaning: 'The profile to use instead of the current one.' },
      {
        name: 'SWITCHYARD_WEBHOOK_SECRET',
        meaning: 'The secret of an endpoint, for `verify`. A secret.',
      },
      { name: 'XDG_CONFIG_HOME', meaning: 'Where profiles are kept. Without it: `~/.config`.' },
      {
        name: 'XDG_STATE_HOME',
        meaning: 'Where is kept how far `listen` has come. Without it: `~/.local/state`.',
      },
      {
        name: 'XDG_CACHE_HOME',
        meaning: 'Where its compiled sources are kept, so that it starts faster. Without it: `~/.cache`.',
      },
      { name: 'CI', meaning: 'If set, nobody is asked anything, and there is no colour.' },
      { name: 'TERM', meaning: '`dumb`: the same.' },
      { name: 'NO_COLOR', meaning: 'If set, there is no colour.' },
      {
        name: 'DATABASE_URL',
        meaning: 'For `migrate`, with `MASTER_KEYS`: as for the server. Without it, those of `npm run dev`.',
      },
    ],
  },
  {
    title: 'Simulator',
    about: 'It takes options: `node packages/simulator/src/main.ts --listen 127.0.0.1:8082`.',
    settings: [
      { name: '--listen', meaning: '`host:port`. Without it: a free port on loopback.' },
      { name: '--ledger', meaning: 'A file that every movement of money is written to, a line each.' },
      { name: '--public-url', meaning: 'How payers reach its pages, if that is not where it listens.' },
      {
        name: '--account',
        meaning: '`name:secret[,secret]:webhook_url`, several times: accounts it begins with.',
      },
    ],
  },
  {
    title: 'compose.yaml',
    about:
      'They stand in a file `.env` beside it. Others of the server are passed on as they are named there.',
    settings: [
      {
        name: 'POSTGRES_PASSWORD',
        meaning: 'The password that the database is made with. Letters and digits. A secret.',
      },
      {
        name: 'NATS_PASSWORD',
        meaning: 'The password that NATS asks for. Letters and digits. A secret.',
      },
      { name: 'MASTER_KEYS', meaning: 'As above.' },
      {
        name: 'LIVE_BASE_URL, TEST_BASE_URL, DASHBOARD_BASE_URL, LOG_LEVEL',
        meaning: 'As above, with defaults for one machine.',
      },
    ],
  },
  {
    title: 'Development and tests',
    about: '`npm run dev` passes the environment on to the server and sets what is missing.',
    settings: [
      {
        name: 'NATS_SERVER_BIN',
        meaning: 'The program `nats-server`, if it is neither on the path nor can be fetched.',
      },
      { name: 'CHROMIUM_BIN', meaning: 'The browser for tests of pages, if it is not on the path.' },
      {
        name: 'SWITCHYARD_TOKEN, SWITCHYARD_BASE_URL',
        meaning: '`npm run seed`: where to, if not to `npm run dev`.',
      },
      {
        name: 'PROMETHEUS_BIN',
        meaning: 'The program `prometheus` for `npm run drill:metrics`, if it is not on the path.',
      },
      { name: 'FC_SEED', meaning: 'Tests by properties: the seed of a run that failed.' },
      { name: 'BILLING_CASES', meaning: 'How many years of billing are drawn. Without it: 2000.' },
      { name: 'WEBHOOK_EVENTS', meaning: 'How many events the flow of webhooks sends. Without it: 1000.' },
      { name: 'GOLDEN', meaning: '`write`: the golden files of billing are written anew.' },
      {
        name: 'SCREENSHOTS',
        meaning: 'Tests of pages: a folder for pictures of them. Without it none are taken of the dashboard.',
      },
    ],
  },
]
