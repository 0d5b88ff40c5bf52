/**
 * The commands of a page for one shell: the blocks ```sh <name>. Lines that end with a backslash are joined with the next
 * one.
 */
export function shellLines(page: string, name: string): string[] {
  const lines = [...page.matchAll(new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  if (lines.length === 0) throw new Error(`The page has no commands in a block \`sh ${name}\`.`)
  return lines
}
