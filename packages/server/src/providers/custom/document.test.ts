// The document that implementers get is the one that the code makes; run this file with `--update` to write it.

import { expect, test } from 'vitest'
import { testOf } from '../read.ts'
import { protocolDocument, toYaml } from './document.ts'
import calls from './fixtures/calls.json' with { type: 'json' }
import { replies } from './fixtures/replies.ts'
import { OperationRecord, OperationRequest } from './wire.ts'

test('docs/custom-provider.openapi.yaml is current', async () => {
  const text = `# Made from the code; see document.test.ts.${toYaml(protocolDocument())}`

  await expect(text).toMatchFileSnapshot('../../../../../docs/custom-provider.openapi.yaml')
})

test('every reference in it leads somewhere', () => {
  const document = protocolDocument() as { components: { [kind: string]: object } }
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]

  expect(refs.length).toBeGreaterThan(20)
  for (const [, kind = '', name = ''] of refs) expect(document.components[kind]).toHaveProperty(name)
})

test('what we send and what we understand fits the shapes that it shows', () => {
  const requests = Object.values(calls).filter(({ method }) => method === 'PUT')
  const records = replies.filter(
    ({ means, reply }) => /succeeded|pending|action|declined/.test(means.is) && reply.status < 300,
  )

  expect(requests).toHaveLength(6)
  for (const { body } of requests) expect(testOf(OperationRequest)(body ?? '')).toBe(true)
  expect(records.length).toBeGreaterThan(20)
  for (const { reply } of records) expect(testOf(OperationRecord)(reply.body)).toBe(true)
})

test('texts of every kind survive YAML', () => {
  const odd = {
    'a b': ['x: y', '- z', '#', "'", '"', '\n', '', 'null', '1'],
    e: {},
    f: [],
    n: null,
    t: true,
    ö: 1,
  }

  expect(toYaml(odd)).toBe(
    `\n"a b":\n  - "x: y"\n  - "- z"\n  - "#"\n  - "'"\n  - "\\""\n  - "\\n"\n  - ""\n  - "null"\n  - "1"\n` +
      `e: {}\nf: []\nn: null\nt: true\n"ö": 1\n`,
  )
})
