// The published document is generated from the code; run this file with `--update` to write it.

import { expect, test } from 'vitest'
import { testOf } from '../read.ts'
import { protocolDocument, toYaml } from './document.ts'
import calls from './fixtures/calls.json' with { type: 'json' }
import { replies } from './fixtures/replies.ts'
import { OperationRecord, OperationRequest } from './wire.ts'

test('docs/custom-provider.openapi.yaml is current', async () => {
  const text = `# Generated from the code; see document.test.ts.${toYaml(protocolDocument())}`

  await expect(text).toMatchFileSnapshot('../../../../../docs/custom-provider.openapi.yaml')
})

test('every reference in the document resolves', () => {
  const document = protocolDocument() as { components: { [kind: string]: object } }
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]

  expect(refs.length).toBeGreaterThan(20)
  for (const [, kind = '', name = ''] of refs) expect(document.components[kind]).toHaveProperty(name)
})

test('our requests and the accepted responses match the documented schemas', () => {
  const requests = Object.values(calls).filter(({ method }) => method === 'PUT')
  const records = replies.filter(
    ({ expected, reply }) => /succeeded|pending|action|declined/.test(expected.is) && reply.status < 300,
  )

  expect(requests).toHaveLength(6)
  for (const { body } of requests) expect(testOf(OperationRequest)(body ?? '')).toBe(true)
  expect(records.length).toBeGreaterThan(20)
  for (const { reply } of records) expect(testOf(OperationRecord)(reply.body)).toBe(true)
})

test('any text survives the conversion to YAML', () => {
  const value = {
    'a b': ['x: y', '- z', '#', "'", '"', '\n', '', 'null', '1'],
    e: {},
    f: [],
    n: null,
    t: true,
    ö: 1,
  }

  expect(toYaml(value)).toBe(
    `\n"a b":\n  - "x: y"\n  - "- z"\n  - "#"\n  - "'"\n  - "\\""\n  - "\\n"\n  - ""\n  - "null"\n  - "1"\n` +
      `e: {}\nf: []\nn: null\nt: true\n"ö": 1\n`,
  )
})
