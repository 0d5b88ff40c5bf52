// Builds the payment page: `npm run build:checkout`. Other scripts call `buildIfStale`. The folder `element` of the build
// has the frame of the payment element and the script with which pages of merchants embed it. They are separate builds,
// so that the payment page stays one small script.

import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { pageBuild } from '../../scripts/pages/build.ts'
import { pageConfig, target } from './vite.config.ts'

const elements = '../elements/src'
const page = pageBuild(
  import.meta.dirname,
  ['src', 'locales', 'element.html', 'build.ts', elements],
  async (folder) => {
    const outDir = join(folder, 'element')
    const { build: options, ...frame } = pageConfig('element.html', '/elements/')
    await build({ ...frame, configFile: false, build: { ...options, outDir } })
    await build({
      configFile: false,
      logLevel: 'warn',
      build: {
        target,
        outDir,
        emptyOutDir: false,
        minify: true,
        reportCompressedSize: false,
        lib: {
          entry: resolve(import.meta.dirname, elements, 'index.ts'),
          formats: ['es'],
          fileName: () => 'v1.js',
        },
      },
    })
  },
)

export const buildIfStale = page.ifStale
/** Called by Vitest before the tests. */
export { buildIfStale as setup }

if (process.argv[1] === fileURLToPath(import.meta.url)) await page.always()
