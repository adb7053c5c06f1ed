(() => {
  const find = document.getElementById('find');
  const only = document.getElementById('only');
  const count = document.getElementById('count');
  const rows = [...document.querySelectorAll('[data-service]')];
  if (!find) return;
  const choose = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.dataset.service;
      const hit = words.every((word) => text.includes(word)) && (!only.checked || row.dataset.care === 'yes');
      row.hidden = !hit;
      if (hit && row.tagName === 'TR') shown += 1;
    }
    count.textContent = shown + ' shown';
  };
  find.addEventListener('input', choose);
  only.addEventListener('change', choose);
  const reveal = () => {
    const there = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (there && there.tagName === 'DETAILS') there.open = true;
  };
  addEventListener('hashchange', reveal);
  reveal();
  const select = (code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand('copy');
  };
  document.querySelectorAll('.call button').forEach((button) => button.addEventListener('click', async () => {
    const [code, said] = [button.previousElementSibling, button.nextElementSibling];
    // Without a secure context there is no clipboard to write to; then the text is selected and copied as by hand.
    const copied = navigator.clipboard ? await navigator.clipboard.writeText(code.textContent).then(() => true, () => select(code)) : select(code);
    said.textContent = copied ? 'Copied' : 'Selected: copy it with your keyboard';
  }));
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
})();
