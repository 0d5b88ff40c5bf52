import { expect, test } from 'vitest'
import { assessCells } from './cells.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const own = { live: 'https://api.eu1.example.com', test: 'https://test.eu1.example.com' }
const cell = {
  name: 'eu2',
  live: 'https://api.eu2.example.com',
  test: 'https://test.eu2.example.com',
  dashboard: 'https://dashboard.eu2.example.com',
  importedAt: new Date('2026-11-14T11:00:00.000Z'),
  keys: 12,
}

// biome-ignore format: a table.
test.each([
  [[],                                                                          'ok',   /no other cells/],
  [[cell],                                                                      'ok',   /eu2/],
  [[cell, { ...cell, name: 'us1', importedAt: null }],                          'warn', /day old: us1/],
  [[{ ...cell, importedAt: new Date('2026-11-13T11:00:00.000Z') }],             'warn', /day old: eu2/],
  [[{ ...cell, test: own.test }],                                               'fail', /address of this cell: eu2/],
])('%o is assessed as %s', (cells, status, detail) => {
  expect(assessCells(cells, own, now)).toMatchObject({ status, detail: expect.stringMatching(detail) })
})
