/**
 * Starts the simulator, and prints its URL as one line of JSON.
 * node main.ts --listen 127.0.0.1:4010 --ledger ledger.jsonl --account name:psec_…[,psec_…]:webhook_url
 */
import { parseArgs } from 'node:util'
import { startSimulator } from './simulator.ts'

const { values } = parseArgs({
  options: {
    listen: { type: 'string', default: '127.0.0.1:0' },
    ledger: { type: 'string' },
    'public-url': { type: 'string' },
    'webhook-origin': { type: 'string' },
    account: { type: 'string', multiple: true, default: [] },
    dialect: { type: 'string', multiple: true, default: [] },
  },
})

const colon = values.listen.lastIndexOf(':')
const simulator = await startSimulator({
  host: values.listen.slice(0, colon),
  port: Number(values.listen.slice(colon + 1)),
  accounts: values.account.map(readAccount),
  dialectPorts: Object.fromEntries(values.dialect.map(readDialect)),
  ...(values.ledger === undefined ? {} : { ledgerFile: values.ledger }),
  ...(values['public-url'] === undefined ? {} : { publicUrl: values['public-url'] }),
  ...(values['webhook-origin'] === undefined ? {} : { webhookOrigin: values['webhook-origin'] }),
  ...(process.env.SIMULATOR_SECRET ? { controlSecret: process.env.SIMULATOR_SECRET } : {}),
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => simulator.stop())
console.log(JSON.stringify({ ready: true, url: simulator.url, ...dialectUrls() }))

function dialectUrls(): object {
  return values.dialect.length === 0 ? {} : { dialects: simulator.dialectUrls }
}

/** `stripe:4011`: the dialect and its port. */
function readDialect(text: string): [string, number] {
  const [name = '', port = '0'] = text.split(':')
  return [name, Number(port)]
}

function readAccount(text: string) {
  const [name = '', secrets = '', ...url] = text.split(':')
  return { name, secrets: secrets.split(',').filter(Boolean), webhook_url: url.join(':') || null }
}
