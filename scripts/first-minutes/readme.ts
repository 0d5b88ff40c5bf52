/**
 * The commands of README.md for new users, by shell: the blocks ```sh first and ```sh second. Lines that end with a
 * backslash are joined with the next one.
 */
export function shellLines(readme: string): { readonly first: string[]; readonly second: string[] } {
  const lines = (shell: string): string[] =>
    [...readme.matchAll(new RegExp(`^\`\`\`sh ${shell}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
      .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const commands = { first: lines('first'), second: lines('second') }
  if (commands.first.length === 0 || commands.second.length === 0)
    throw new Error('README.md has no lines for the first and the second shell.')
  return commands
}
