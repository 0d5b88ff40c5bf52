import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type ApiCall, curlOf, typescriptOf } from './call.ts'

const call: ApiCall = {
  method: 'POST',
  path: '/refunds',
  body: { payment_id: 'payment_test_1', metadata: { note: `It's "broken"` } },
  sdk: {
    method: 'refunds.create',
    args: [{ payment_id: 'payment_test_1', metadata: { note: `It's "broken"`, 'order-no': '7' } }],
  },
}

test('a shell passes the body of the curl command unchanged, including quotes', () => {
  const script = `curl() { printf '%s' "\${@: -1}"; }; uuidgen() { echo 1; }; ${curlOf(call, 'http://127.0.0.1:1')}`

  expect(JSON.parse(execFileSync('bash', ['-c', script]).toString())).toEqual(call.body)
})

test('a GET request has no body and no idempotency key', () => {
  const text = curlOf({ method: 'GET', path: '/payments', sdk: call.sdk }, 'http://127.0.0.1:1')

  expect(text).toBe(
    `curl -X GET 'http://127.0.0.1:1/payments' \\\n  -H "Authorization: Bearer $SWITCHYARD_TOKEN"`,
  )
})

test('the SDK example contains the same arguments as TypeScript source', () => {
  const [, source = ''] = /refunds\.create\(([\s\S]*)\)$/.exec(typescriptOf(call, 'http://127.0.0.1:1')) ?? []

  expect(new Function(`return ${source}`)()).toEqual(call.sdk.args[0])
})
