// Builds scripts and styles as hashed files under /docs/assets/. build.ts generates the pages afterwards.

import { type CSSOptions, defineConfig } from 'vite'

type Plugin = Exclude<CSSOptions['postcss'], string | undefined>['plugins']

/** The theme is shared with the dashboard, which uses Tailwind. Here its variables become properties of `:root`. */
const themeToRoot: Plugin = [
  {
    postcssPlugin: 'theme-to-root',
    AtRule: {
      theme(rule, { Rule }) {
        const nodes = (rule.nodes ?? []).filter((node) => node.type !== 'decl' || node.prop !== '--*')
        rule.replaceWith(new Rule({ selector: ':root', nodes }))
      },
    },
  },
]

/** The server only serves woff2, which every supported browser can read. */
const onlyWoff2: Plugin = [
  {
    postcssPlugin: 'only-woff2',
    Once(root) {
      root.walkDecls('src', (source) => {
        source.value = source.value.replaceAll(/,\s*url\([^)]*\.woff\)\s*format\(['"]woff['"]\)/g, '')
      })
    },
  },
]

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/',
  logLevel: 'warn',
  css: { postcss: { plugins: [...themeToRoot, ...onlyWoff2] } },
  build: {
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
    manifest: 'built.json',
    rolldownOptions: { input: ['src/client/main.ts', 'src/client/theme.ts', 'src/style/style.css'] },
  },
})
