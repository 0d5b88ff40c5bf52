/** Settings of what the service reaches, takes and sends: card numbers, webhooks, mails, and the process itself. */
import type { LogLevel } from '../platform/log.ts'
import { address, addressWithPassword, flag, folder, list, oneOf, text, wholeNumber } from './kinds.ts'
import { setting } from './setting.ts'

const running = '`api`, `worker`, `all`'

export const outside = {
  vaultLive: setting({
    ...{ name: 'VAULT_LIVE', kind: flag, default: 'false', secrecy: 'open' },
    meaning:
      'Production takes card numbers, from workspaces whose ADMIN has [confirmed](../guides/card-data.md#take-card-numbers-in-production) what that means.',
    ...{ neededWhen: 'your compliance covers card numbers', usedBy: running, example: 'true' },
  }),
  webhookAllowCidrs: setting({
    ...{ name: 'WEBHOOK_ALLOW_CIDRS', kind: list('networks'), default: '', secrecy: 'open' },
    otherwise: 'none',
    meaning:
      'Networks that are called though they are not public. Addresses where clouds hand out credentials stay closed.',
    neededWhen: 'receivers of webhooks or providers are in a private network',
    ...{ usedBy: running, example: '10.0.0.0/8,fd00::/8' },
  }),
  webhookAllowLoopback: setting({
    ...{ name: 'WEBHOOK_ALLOW_LOOPBACK', kind: flag, default: 'false', secrecy: 'open' },
    meaning: 'Webhooks and providers of the test environment may be on this machine.',
    ...{ neededWhen: 'one develops, and with `SIMULATOR_URL`', usedBy: running, example: 'true' },
  }),
  simulatorUrl: setting({
    ...{ name: 'SIMULATOR_URL', kind: address, default: null, secrecy: 'open' },
    otherwise: 'there is no simulator',
    meaning:
      'Where the simulator runs, for accounts of the test environment. On this machine: it takes orders from no other; `WEBHOOK_ALLOW_LOOPBACK` has to be `true`.',
    ...{ neededWhen: 'test payments go to the simulator', usedBy: running, example: 'http://127.0.0.1:8082' },
  }),
  smtpUrl: setting({
    ...{ name: 'SMTP_URL', kind: addressWithPassword('smtps', 'smtp'), default: null, secrecy: 'password' },
    otherwise: 'no mails',
    meaning: 'The server by which mails are sent.',
    ...{ neededWhen: 'receipts are mailed', usedBy: running },
    example: 'smtps://user:password@mail.example.com:465',
  }),
  mailFrom: setting({
    ...{ name: 'MAIL_FROM', kind: text, default: null, secrecy: 'open' },
    otherwise: '`receipts@localhost`, without `SMTP_URL`',
    meaning: 'From whom mails come.',
    ...{ neededWhen: '`SMTP_URL` is set', usedBy: running, example: 'Receipts <receipts@example.com>' },
  }),
  mailOutbox: setting({
    ...{ name: 'MAIL_OUTBOX', kind: folder, default: null, secrecy: 'open' },
    otherwise: 'none',
    meaning: 'A folder into which mails are written instead, without `SMTP_URL`.',
    ...{ neededWhen: 'one develops', usedBy: running, example: 'mails' },
  }),
  invoiceFonts: setting({
    ...{ name: 'INVOICE_FONTS', kind: list('font files'), default: '', secrecy: 'open' },
    otherwise: 'none',
    meaning:
      "Font files (`.ttf`, `.otf`, or `.ttc#Name` for one of a collection) for scripts that the font of invoices does not have. From Debian's `fonts-noto-cjk`, for Chinese, Japanese and Korean: see the example.",
    neededWhen: 'names on invoices are written in such a script',
    usedBy: '`api`, `all`',
    example: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc#NotoSansCJKsc-Regular',
  }),
  drainSeconds: setting({
    ...{ name: 'DRAIN_SECONDS', kind: wholeNumber(0, 300), default: '1', secrecy: 'open' },
    meaning: 'How long a process that was asked to stop goes on taking requests.',
    neededWhen: 'the load balancer takes longer to notice',
    ...{ usedBy: running, example: '10' },
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    kind: oneOf<LogLevel>('debug', 'info', 'warn', 'error', 'silent'),
    ...{ default: 'info', secrecy: 'open' },
    meaning: 'The least important lines of the log that are written.',
    ...{ neededWhen: 'one looks for a fault', usedBy: running, example: 'info' },
  }),
  crashpoint: setting({
    ...{ name: 'CRASHPOINT', kind: text, default: null, secrecy: 'open' },
    otherwise: 'none',
    meaning: 'For tests: kills the process at a named place. Leave it unset.',
    ...{ neededWhen: 'never', usedBy: running, example: 'unit.committed' },
  }),
} as const
