/** Settings of how callers reach the service, and how much of it one of them may have. */
import { address, flag, folder, listener, wholeNumber } from './kinds.ts'
import { setting } from './setting.ts'

const served = '`api`, `all`'

export const doors = {
  liveListen: setting({
    ...{ name: 'LIVE_LISTEN', kind: listener, default: '127.0.0.1:8080', secrecy: 'open' },
    meaning: 'Where production listens, for live tokens.',
    neededWhen: 'a proxy is on another machine, or the port is taken',
    ...{ usedBy: served, example: '127.0.0.1:8080' },
  }),
  testListen: setting({
    ...{ name: 'TEST_LISTEN', kind: listener, default: '127.0.0.1:8081', secrecy: 'open' },
    meaning: 'Where staging listens, for test tokens.',
    neededWhen: 'a proxy is on another machine, or the port is taken',
    ...{ usedBy: served, example: '127.0.0.1:8081' },
  }),
  dashboardListen: setting({
    ...{ name: 'DASHBOARD_LISTEN', kind: listener, default: '127.0.0.1:8083', secrecy: 'open' },
    meaning: 'Where the dashboard listens.',
    neededWhen: 'a proxy is on another machine, or the port is taken',
    ...{ usedBy: served, example: '127.0.0.1:8083' },
  }),
  opsListen: setting({
    ...{ name: 'OPS_LISTEN', kind: listener, default: '127.0.0.1:9090', secrecy: 'open' },
    meaning: 'Where health and metrics are. It asks for no token: keep it private.',
    neededWhen: 'metrics are scraped from another machine, or two processes share one',
    ...{ usedBy: '`api`, `worker`, `all`', example: '127.0.0.1:9090' },
  }),
  liveBaseUrl: setting({
    ...{ name: 'LIVE_BASE_URL', kind: address, default: null, secrecy: 'open' },
    otherwise: '`http://` and `LIVE_LISTEN`',
    meaning: 'How callers and payers reach production: in links, in mails and in `type` of errors.',
    ...{ neededWhen: 'production is reached from elsewhere', usedBy: '`api`, `worker`, `all`' },
    example: 'https://api.example.com',
  }),
  testBaseUrl: setting({
    ...{ name: 'TEST_BASE_URL', kind: address, default: null, secrecy: 'open' },
    otherwise: '`http://` and `TEST_LISTEN`',
    meaning: 'The same for staging. It is another address than that of production.',
    ...{ neededWhen: 'staging is reached from elsewhere', usedBy: '`api`, `worker`, `all`' },
    example: 'https://test.api.example.com',
  }),
  dashboardBaseUrl: setting({
    ...{ name: 'DASHBOARD_BASE_URL', kind: address, default: null, secrecy: 'open' },
    otherwise: '`http://` and `DASHBOARD_LISTEN`, as `localhost` if that is on this machine',
    meaning:
      'How browsers reach the dashboard: its origin. Both addresses of the API let it call them. Away from this machine it begins with `https://`. Passkeys belong to its host name: with another one they are lost.',
    neededWhen: 'people sign in from elsewhere',
    usedBy: '`api`, `worker`, `all`, `setup`, `sign-in-link`',
    example: 'https://dashboard.example.com',
  }),
  trustProxy: setting({
    ...{ name: 'TRUST_PROXY', kind: flag, default: 'false', secrecy: 'open' },
    meaning:
      'Behind one proxy that writes `X-Forwarded-For` itself: the last address in it is taken as that of the caller. What stands before it is the word of the caller.',
    ...{ neededWhen: 'there is such a proxy', usedBy: served, example: 'true' },
  }),
  rateLimitLive: setting({
    ...{ name: 'RATE_LIMIT_LIVE', kind: wholeNumber(1, 1_000_000), default: '100', secrecy: 'open' },
    meaning:
      'Requests per second and token over all API processes, which share it by number over NATS. Bursts are twice that.',
    ...{ neededWhen: 'callers are refused with `rate_limited` and should not be', usedBy: served },
    example: '500',
  }),
  rateLimitTest: setting({
    ...{ name: 'RATE_LIMIT_TEST', kind: wholeNumber(1, 1_000_000), default: '50', secrecy: 'open' },
    meaning: 'The same for test tokens.',
    ...{ neededWhen: 'somebody tests with more', usedBy: served, example: '100' },
  }),
  inFlightLimit: setting({
    ...{ name: 'IN_FLIGHT_LIMIT', kind: wholeNumber(1, 100_000), default: '100', secrecy: 'open' },
    meaning: 'Requests of one workspace under way at once, per process.',
    neededWhen: 'one workspace sends more at once than the others leave room for',
    ...{ usedBy: served, example: '200' },
  }),
  dashboardPages: setting({
    ...{ name: 'DASHBOARD_PAGES', kind: folder, default: null, secrecy: 'open' },
    otherwise: '`packages/dashboard/dist`',
    meaning: 'The folder of the built dashboard.',
    ...{ neededWhen: 'it was built elsewhere', usedBy: served, example: 'packages/dashboard/dist' },
  }),
  checkoutPages: setting({
    ...{ name: 'CHECKOUT_PAGES', kind: folder, default: null, secrecy: 'open' },
    otherwise: '`packages/checkout/dist`',
    meaning: 'The folder of the built payment page.',
    ...{ neededWhen: 'it was built elsewhere', usedBy: served, example: 'packages/checkout/dist' },
  }),
  docsPages: setting({
    ...{ name: 'DOCS_PAGES', kind: folder, default: null, secrecy: 'open' },
    otherwise: '`packages/docs/dist`',
    meaning: 'The folder of the built documentation.',
    ...{ neededWhen: 'it was built elsewhere', usedBy: served, example: 'packages/docs/dist' },
  }),
} as const
