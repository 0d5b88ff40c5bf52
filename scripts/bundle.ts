/**
 * Bundles each program with its dependencies into one file. Starting the server from a bundle takes about a third of the
 * CPU time of starting it from the sources, which matters because tests start hundreds of processes.
 */
import { dirname, join, relative, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const packages = resolve(import.meta.dirname, '../packages')
const programs = ['server', 'cli', 'simulator'] as const
export type Program = (typeof programs)[number]

export const bundleIn = (folder: string, program: Program) => join(folder, program, 'main.js')

/** Writes `<folder>/<program>/main.js` for each program. The folder has to be inside the repository. */
export async function bundlePrograms(folder: string): Promise<void> {
  await Promise.all(programs.map((program) => bundleProgram(program, join(folder, program))))
}

async function bundleProgram(program: Program, dir: string): Promise<void> {
  const bundle = await rolldown({
    input: { main: join(packages, program, 'src/main.ts') },
    platform: 'node',
    // pdfkit reads fonts from its own folder.
    external: ['pdfkit'],
    plugins: [keepPaths(dir), useAsciiOnly],
    onLog: () => undefined,
  })
  await bundle.write({ dir, format: 'esm' })
  await bundle.close()
}

/** Rewrites `import.meta` paths, so that a module still finds files relative to its source, such as migrations. */
function keepPaths(dir: string): Plugin {
  return {
    name: 'keep-paths',
    transform(code, id) {
      if (!id.startsWith(packages) || !code.includes('import.meta.')) return null
      const path = relative(dir, id)
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`)
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
    },
  }
}

/** V8 keeps source text in memory. A single character outside Latin-1 doubles the size of a file. */
const useAsciiOnly: Plugin = {
  name: 'use-ascii-only',
  generateBundle(_, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = withEscapes(file.code)
  },
}

const withEscapes = (code: string) =>
  code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
