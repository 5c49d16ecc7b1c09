/** Parts of pages that are generated: the text between two marks, and tables in Markdown. */

/**
 * Returns the page with the text between its marks, the first of which names the script `docs:<script>`. Errors: when
 * the page lacks the marks.
 */
export function withGenerated(page: string, script: string, text: string): string {
  const [begin, end] = [`<!-- begin: npm run docs:${script} -->`, '<!-- end -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}

/** Formats a table of cells in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Formats a text as code; '' stays empty. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
