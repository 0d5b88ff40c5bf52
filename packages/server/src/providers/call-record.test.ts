import { expect, test } from 'vitest'
import { redactSecrets, secretsIn } from './call-record.ts'

const config = {
  credentials: { api_key: 'sk_live_0123456789' },
  webhook_secrets: { webhook_password: ['shop'], signing_key: ['54321'] },
}

test('a short secret is redacted only in messages, and only as a whole word, so that references stay intact', () => {
  const reply = {
    ref: 'shop-54321-7',
    action: { url: 'https://shop.example.com/54321' },
    fault: { code: 'shop', message: 'The user "shop" or 54321 is wrong. See workshop 543210.' },
  }

  expect(redactSecrets(reply, secretsIn(null, config))).toEqual({
    ...reply,
    fault: { code: 'shop', message: 'The user "[redacted]" or [redacted] is wrong. See workshop 543210.' },
  })
})

test('a longer secret is redacted everywhere', () => {
  const reply = { ref: 'x-sk_live_0123456789-7', fault: { code: 'a', message: 'key sk_live_0123456789' } }

  expect(redactSecrets(reply, secretsIn(null, config))).toEqual({
    ref: 'x-[redacted]-7',
    fault: { code: 'a', message: 'key [redacted]' },
  })
})
