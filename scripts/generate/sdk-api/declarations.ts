// Parses the declarations of the SDK as emitted by the compiler: what each module declares, and what the entry points
// of the package export.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

const root = resolve(import.meta.dirname, '../../..')
const sdk = join(root, 'packages/sdk')

/** A node of the syntax tree. All nodes have a type and a position. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [member: string]: unknown
}

export type Declaration = { readonly name: string; readonly node: Node; readonly text: string }

export type Declarations = {
  /** By name, which is unique across the modules of the package. */
  readonly byName: ReadonlyMap<string, Declaration>
  /** The exports, by entry point: `.` and `./node`. */
  readonly exported: ReadonlyMap<string, readonly string[]>
}

/** `sources` replace files of the same name that are not written yet. */
export function declarationsOf(sources: ReadonlyMap<string, string>): Declarations {
  const modules = emit(sources)
  const byName = new Map<string, Declaration>()
  for (const { text, body } of modules.values())
    for (const node of body.flatMap(declaredBy)) {
      const name = identifierOf(node.id as Node)
      if (byName.has(name)) throw new Error(`Two modules of the SDK declare ${name}: rename one of them.`)
      byName.set(name, { name, node, text })
    }
  const { exports } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const entries = Object.entries(exports as Record<string, string>).map(
    ([entry, file]) => [entry, exportsOf(modules, moduleNameOf(file))] as const,
  )
  return { byName, exported: new Map(entries) }
}

type Module = { readonly text: string; readonly body: readonly Node[] }

function emit(sources: ReadonlyMap<string, string>): Map<string, Module> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-declarations-'))
  const [src, out] = [join(folder, 'src'), join(folder, 'out')]
  try {
    cpSync(join(sdk, 'src'), src, { recursive: true })
    for (const [name, text] of sources) writeFileSync(join(src, name), text)
    const project = { extends: join(sdk, 'tsconfig.build.json'), include: ['src'] }
    const compilerOptions = { rootDir: 'src', outDir: 'out', declaration: true, emitDeclarationOnly: true }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...project, compilerOptions }))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' })
    return new Map(
      readdirSync(out).map((file) => {
        const text = readFileSync(join(out, file), 'utf8')
        return [moduleNameOf(file), { text, body: parseSync(file, text).program.body as unknown as Node[] }]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function exportsOf(modules: ReadonlyMap<string, Module>, name: string): string[] {
  const body = modules.get(name)?.body ?? []
  return body.flatMap((node) => {
    if (node.type === 'ExportAllDeclaration')
      return exportsOf(modules, moduleNameOf(String((node.source as Node).value)))
    if (node.type !== 'ExportNamedDeclaration') return []
    const reexported = (node.specifiers as Node[]).map(({ exported }) => identifierOf(exported as Node))
    return [...reexported, ...declaredBy(node).map(({ id }) => identifierOf(id as Node))]
  })
}

/** The declarations in a statement. A constant is nested inside its statement. */
function declaredBy(node: Node): Node[] {
  const declaration = (node.type === 'ExportNamedDeclaration' ? node.declaration : node) as Node | null
  if (declaration?.type === 'VariableDeclaration') return declaration.declarations as Node[]
  return declaration?.id ? [declaration] : []
}

export function identifierOf(node: Node): string {
  return String(node.name)
}

function moduleNameOf(file: string): string {
  return file
    .split('/')
    .at(-1)
    ?.replace(/(\.d)?\.ts$/, '') as string
}
