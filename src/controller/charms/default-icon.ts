/** Icon of charms that bring none. */
export const defaultIcon = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">
<rect x="4" y="4" width="88" height="88" rx="20" fill="#5a6b7b"/>
<path d="M48 20 72 34v28L48 76 24 62V34z" fill="none" stroke="#fff" stroke-width="6" stroke-linejoin="round"/>
<path d="M24 34 48 48l24-14M48 48v28" fill="none" stroke="#fff" stroke-width="6" stroke-linejoin="round"/>
</svg>
`;
