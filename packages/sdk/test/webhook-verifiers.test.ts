// Other implementations agree on the signatures: npm packages, Python and OpenSSL. The two programs are the programs
// of the guide, unchanged: see receive-webhooks.test.ts.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as standardwebhooks from 'standardwebhooks'
import * as svix from 'svix'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { signWebhook, verifyWebhook } from '../src/index.ts'
import { isInstalled } from './support/guide.ts'
import { attemptOf, type Vector, vector, vectors } from './support/vectors.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-webhooks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const v2 = vector('V2')
const validVectors = vectors.filter(({ refused_as }) => refused_as === undefined)

describe.each([
  ['standardwebhooks', standardwebhooks.Webhook],
  ['svix', svix.Webhook],
])('the package %s', (_, Webhook) => {
  const complete = vectors.filter(({ standard_webhooks }) => standard_webhooks !== undefined)
  // Both libraries use the system clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test.each(complete)('verifies with each secret: $name', async (signedVector) => {
    vi.setSystemTime(attemptOf(signedVector))
    const ours = await signWebhook(JSON.parse(signedVector.body), signedVector.secrets)

    for (const secret of signedVector.secrets) {
      // Both libraries throw if the webhook is invalid. Their return values differ.
      new Webhook(secret).verify(signedVector.body, headersOf(signedVector.headers))
      new Webhook(secret).verify(ours.body, headersOf(ours.headers))
      expect(() => new Webhook(secret).verify(`${ours.body} `, headersOf(ours.headers))).toThrow()
    }
  })

  test.each(complete)('creates signatures that verifyWebhook accepts: $name', async (signedVector) => {
    vi.setSystemTime(attemptOf(signedVector))
    const { id } = JSON.parse(signedVector.body)

    for (const secret of signedVector.secrets) {
      const theirs = new Webhook(secret).sign(id, attemptOf(signedVector), signedVector.body)
      const headers = { ...signedVector.headers, 'webhook-signature': theirs }
      expect((await verifyWebhook({ body: signedVector.body, headers, secret })).id).toBe(id)
    }
  })

  test('rejects a changed body, as verifyWebhook does', async () => {
    vi.setSystemTime(attemptOf(v2))
    const [secret = ''] = v2.secrets
    const body = v2.body.replace('129900', '129901')

    expect(() => new Webhook(secret).verify(body, headersOf(v2.headers))).toThrow('No matching signature')
    await expect(verifyWebhook({ body, headers: v2.headers, secret })).rejects.toThrow('No signature')
  })
})

type Run = { code: number | null; output: string }
type Program = (body: string, header: string, secret: string) => Run

const python: Program = (body, header, secret) =>
  run('python3', [join(root, 'examples/verify_webhook.py'), header], secret, body)

const shell: Program = (body, header, secret) => {
  const path = join(folder, 'body.json')
  writeFileSync(path, body)
  return run('sh', [join(root, 'examples/verify-webhook.sh'), header, path], secret)
}

describe.each([
  ['verify_webhook.py', python, ['python3']],
  ['verify-webhook.sh', shell, ['openssl', 'jq', 'sh']],
] as const)('examples/%s', (_, program, tools) => {
  const testIfInstalled = test.skipIf(!tools.every(isInstalled))

  testIfInstalled.each(validVectors)(
    'verifies with each secret: $name',
    ({ secrets, body, data, signature_digest }) => {
      const { id, type } = JSON.parse(data)

      for (const secret of secrets)
        expect(program(body, signature_digest, secret)).toEqual({ code: 0, output: `${type} ${id}\n` })
    },
  )

  testIfInstalled('computes the same signature for data that is not an event', () => {
    const { body, signature_digest, secrets } = vector('empty data')

    expect(program(body, signature_digest, secrets[0] ?? '').output).not.toContain('no signature')
    expect(program(body, signature_digest, 'whsec_another').output).toContain('no signature')
  })

  // biome-ignore format: a table.
  testIfInstalled.each<[string, string, string, string | undefined]>([
    ['data rewritten with spaces', rewritten(v2), v2.signature_digest, v2.secrets[0]],
    ['t plus 1', v2.body, v2.signature_digest.replace(`${v2.t}`, `${v2.t + 1}`), v2.secrets[0]],
    ['a key without whsec_', v2.body, v2.signature_digest, v2.secrets[0]?.slice(6)],
    ['an empty key', v2.body, v2.signature_digest, ''],
    ['a truncated digest', v2.body, v2.signature_digest.slice(0, -1), v2.secrets[2]],
    ['no v1', v2.body, v2.signature_digest.replaceAll('v1=', 'v2='), v2.secrets[0]],
    ['no t', v2.body, v2.signature_digest.replace('t=', 'u='), v2.secrets[0]],
    ['a header that is a pattern', v2.body, `t=${v2.t},v1=*`, v2.secrets[0]],
    ['data that is parsed', JSON.stringify({ data: JSON.parse(v2.data) }), v2.signature_digest, v2.secrets[0]],
    ['a body that is not an object', JSON.stringify([v2.body]), v2.signature_digest, v2.secrets[0]],
    ['a second body after the first', `${v2.body}${v2.body}`, v2.signature_digest, v2.secrets[0]],
  ])('rejects %s', (_, body, header, secret = '') => {
    const { code, output } = program(body, header, secret)

    expect(code).not.toBe(0)
    expect(output).not.toContain('payment.succeeded')
    if (secret !== '') expect(output).not.toContain(secret)
  })

  testIfInstalled('ignores unknown signature versions', () => {
    const header = v2.signature_digest.replaceAll(',', ',v2=zz,')

    expect(program(v2.body, header, v2.secrets[1] ?? '')).toMatchObject({ code: 0 })
  })
})

test.skipIf(!isInstalled('python3'))('a body that Python parsed and rewrote verifies', async () => {
  const rewrite = 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True, indent=2))'
  const { output: body } = run('python3', ['-c', rewrite], '', v2.body)
  const headers = { 'signature-digest': v2.signature_digest }

  expect(body).toContain('\\ud83d\\udcb3')
  const signed = { body, headers, secret: v2.secrets, now: attemptOf(v2) }
  const event = await verifyWebhook({ ...signed, signatureDigestOnly: true })
  expect(event.content).toEqual(JSON.parse(v2.data))
})

function rewritten({ body, data }: Vector): string {
  return JSON.stringify({ ...JSON.parse(body), data: JSON.stringify(JSON.parse(data), null, 1) })
}

function run(program: string, parts: readonly string[], secret: string, input = ''): Run {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PYTHONDONTWRITEBYTECODE: '1' }
  const { status, stdout, stderr } = spawnSync(program, parts, { env, input, encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}

function headersOf(headers: Record<string, string>) {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': signature = '',
  } = headers
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}
