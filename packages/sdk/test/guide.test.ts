import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { buildSdk } from '../build.ts'
import { compile } from './support/compile.ts'

const switchyard = await switchyardForThisFile()
const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-guide-'))
// Readers of these pages have the published package, not our sources.
buildSdk(join(folder, 'node_modules/@switchyard/sdk'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All snippets of a page as one program, in order. */
function programOf(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, snippet]) => snippet).join('\n')
}

function run(program: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  writeFileSync(join(folder, 'guide.ts'), program)
  const child = spawn(process.execPath, ['guide.ts'], { cwd: folder, env: { ...process.env, ...env } })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: chunks.join('') })))
}

test.each([
  ['docs/guides/sdk.md', ['ADMIN of workspace_test_', '+442071234567', 'true true', '/email must be']],
  ['packages/sdk/README.md', ['customer_test_', 'request_test_']],
])('every snippet of %s compiles and runs', async (page, printed) => {
  const { address, token } = await switchyard.newWorkspace()
  const program = programOf(page)

  const { code, output } = await run(program, { SWITCHYARD_TOKEN: token, SWITCHYARD_BASE_URL: address })

  expect({ code, output }).toMatchObject({ code: 0 })
  for (const text of printed) expect(output).toContain(text)
  const environment = 'declare const process: { env: Record<string, string | undefined> }\n'
  expect(compile(environment + program, folder)).toBe('')
})
