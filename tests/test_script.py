import subprocess
from pathlib import Path

import pytest

from sitegen.script import bundle_scripts, bundled

ROOT = Path(__file__).parents[1]


def _write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "entry.js"


TWO = {
    "entry": 'import { twice } from "./b.js";\nimport { one } from "./a.js";\n'
    "const own = 5;\nconsole.log(twice(one) + own);\n",
    "b": 'import { one } from "./a.js";\nconst own = 2 * one;\n'
    "/** Doubles. */\nexport function twice(x) {\n  return own * x;\n}\n",
    "a": "// One.\nexport const one = 1;\n",
}


@pytest.mark.node
def test_a_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    script = tmp_path / "whole.mjs"
    script.write_text(bundled(_write(tmp_path, **TWO)))
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    assert done.stdout == "7\n"


def test_each_module_stands_once_after_what_it_needs_without_comments(tmp_path: Path) -> None:
    text = bundled(_write(tmp_path, **TWO))
    assert text.count("const one = 1") == 1
    assert text.index("const one = 1") < text.index("function twice")
    assert "//" not in text
    assert "Doubles" not in text


@pytest.mark.parametrize(
    "entry",
    ['import whole from "./a.js";\n', "export default 5;\n", 'export { one } from "./a.js";\n'],
)
def test_another_style_of_module_is_refused(tmp_path: Path, entry: str) -> None:
    with pytest.raises(ValueError, match="cannot be bundled"):
        bundled(_write(tmp_path, entry=entry, a="export const one = 1;\n"))


def test_a_circle_of_imports_is_told(tmp_path: Path) -> None:
    entry = _write(
        tmp_path,
        entry='import { a } from "./a.js";\n',
        a='import { b } from "./entry.js";\nexport const a = b;\n',
    )
    with pytest.raises(ValueError, match="imports itself"):
        bundled(entry)


def test_a_site_without_the_page_is_left_alone(tmp_path: Path) -> None:
    bundle_scripts(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_pages_own_modules_bundle(tmp_path: Path) -> None:
    text = bundled(ROOT / "site/docs/assets/predictor.js")
    assert "class Predictor" in text
    assert "import " not in text
    assert list(tmp_path.iterdir()) == []
