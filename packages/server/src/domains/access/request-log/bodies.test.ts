import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packBodies, unpackBodies } from './bodies.ts'
import { dictionary1 } from './body-dictionary.ts'

const body = fc.option(fc.json())

test('bodies are read as they were written', () => {
  fc.assert(
    fc.property(body, body, (requestBody, responseBody) => {
      expect(unpackBodies(packBodies({ requestBody, responseBody }))).toEqual({ requestBody, responseBody })
    }),
  )
})

test('a request without bodies stores nothing', () => {
  expect(packBodies({ requestBody: null, responseBody: null })).toBeNull()
})

test('the bodies of a payment take an eighth of their size', () => {
  const ids = ['payment_test_01M7RPYP1BE43R7EC6GHTBAQX3', 'customer_test_01M7RPYHQ1E43S48BMMFNEC22Y']
  const [requestBody = '', responseBody = ''] = dictionary1
    .split('\u001f')
    .slice(-2)
    .map((text, index) =>
      text.replaceAll(/payment_(method_)?test_01/g, ids[index] ?? '').replaceAll(':1,', ':1299,'),
    )

  const packed = packBodies({ requestBody, responseBody })

  expect(packed?.length).toBeLessThan((requestBody.length + responseBody.length) / 8)
})

test('a dictionary never changes, because stored bodies need it', () => {
  expect(createHash('sha256').update(dictionary1).digest('hex')).toBe(
    'f931cd6c7c01848cdd39d83587e23fafd4da985ef0240fe865e5d223d2122853',
  )
})

test('bodies of a newer version are not read with the wrong dictionary', () => {
  expect(() => unpackBodies(Buffer.of(2, 0))).toThrow('need dictionary 2')
})
