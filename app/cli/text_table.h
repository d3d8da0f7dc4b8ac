// SPDX-License-Identifier: GPL-3.0-or-later
// Aligned columns of text on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lanewright::cli {

enum class Align : std::uint8_t { left, right };

/// Rows of cells; columns are as wide as their widest cell (in characters, wide ones counted twice) and two blanks apart.
class TextTable {
public:
    explicit TextTable(std::vector<Align> columns) : m_columns(std::move(columns)) {}
    void addRow(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    bool empty() const { return m_rows.empty(); }
    /// Each row on a line, `indent` blanks in front, none at the end.
    std::string text(std::size_t indent = 0) const;

private:
    std::vector<Align> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Columns that `text` (UTF-8) takes on a terminal.
std::size_t displayWidth(const std::string& text);

}  // namespace lanewright::cli
