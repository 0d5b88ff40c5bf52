/**
 * The lines that README.md tells a stranger to type, by shell: those between ```sh first and ```, and those of
 * ```sh second. A line that ends with a backslash goes on.
 */
export function linesOfShells(readme: string): { readonly first: string[]; readonly second: string[] } {
  const lines = (shell: string): string[] =>
    [...readme.matchAll(new RegExp(`^\`\`\`sh ${shell}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
      .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const found = { first: lines('first'), second: lines('second') }
  if (found.first.length === 0 || found.second.length === 0)
    throw new Error('README.md has no lines for the first and the second shell.')
  return found
}
